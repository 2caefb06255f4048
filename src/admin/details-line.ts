import type { AuditEvent } from '../events/audit-event.ts';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function spell(value: unknown): string {
  if (Array.isArray(value)) return value.map(spell).join(', ') || '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Describes what an event changed: the old and new value of each field, or only its name if its values were not
 * recorded.
 */
function spellChanges({ fields, from, to }: AuditEvent['details']): string[] {
  const [before, after] = [isRecord(from) ? from : {}, isRecord(to) ? to : {}];
  const others = Array.isArray(fields) ? fields.filter((name) => !(String(name) in after)) : [];
  return [
    ...Object.keys(after).map((name) => `${name} ${spell(before[name] ?? null)} → ${spell(after[name])}`),
    ...(others.length === 0 ? [] : [`fields ${spell(others)}`]),
  ];
}

/** Returns the details of an event in one line, with the application if the details do not name it. */
export function detailsLine({ details, application }: Pick<AuditEvent, 'details' | 'application'>): string {
  const { fields, from, to, ...others } = details;
  const isNamed = application === null || Object.values(others).includes(application);
  return [
    ...(isNamed ? [] : [`application ${application}`]),
    ...Object.entries(others).flatMap(([name, value]) => (isEmpty(value) ? [] : `${name} ${spell(value)}`)),
    ...spellChanges({ fields, from, to }),
  ].join('; ');
}
