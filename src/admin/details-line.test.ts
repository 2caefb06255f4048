import { expect, test } from 'vitest';
import { detailsLine } from './details-line.ts';

test('the details line of an event shows old and new values, and only the name of a field that has no values', () => {
  const details = {
    fields: ['full_name', 'role', 'allowed_apps'],
    from: { role: 'normaluser', allowed_apps: ['authsvc'] },
    to: { role: 'superadmin', allowed_apps: [] },
  };

  const line = detailsLine({ details, application: null });

  expect(line).toBe('role normaluser → superadmin; allowed_apps authsvc → –; fields full_name');
});

test('the details line of an event shows lists, numbers and booleans, and omits empty lists', () => {
  const details = { role: 'normaluser', allowed_apps: ['authsvc', 'wiki'], is_active: true, count: 2, children: [] };

  const line = detailsLine({ details, application: null });

  expect(line).toBe('role normaluser; allowed_apps authsvc, wiki; is_active true; count 2');
});

test('the details line of an event names the application only once', () => {
  const [grant, changed] = [
    { details: { id: '59db', change: 'given', fields: ['session'] }, application: 'wiki' },
    { details: { key: 'wiki', change: 'removed', fields: [] }, application: 'wiki' },
  ].map(detailsLine);

  expect(grant).toBe('application wiki; id 59db; change given; fields session');
  expect(changed).toBe('key wiki; change removed');
});
