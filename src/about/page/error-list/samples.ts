import type { SampleText } from '../../../ui/define-page.ts';
import type { ErrorListPage } from './page.ts';

export function samples(text: SampleText): Record<string, ErrorListPage> {
  const entry = (name: string, number: number) => ({
    name: text(name),
    number,
    status: 401,
    message: text('Incorrect Username Or Password'),
    hint: text('Check both for typing errors. Passwords are case-sensitive.'),
  });
  return {
    short: {
      categories: [
        { name: 'Authentication', range: '600–699', entries: [entry('PASSWORD_INCORRECT', 601)] },
        { name: 'Server', range: '1200–1299', entries: [entry('SERVER_ON_FIRE', 1299)] },
      ],
    },
  };
}
