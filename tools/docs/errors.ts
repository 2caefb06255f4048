import { errorCategories, errorNames, errorRegistry } from '../../src/errors/registry.ts';
import { errorBody } from '../../src/http/error-handler.ts';
import { code, page, table } from './markdown.ts';

const example = JSON.stringify(errorBody('PASSWORD_INCORRECT', '9fYb1yQs-2k'), undefined, 2);

const introduction = `
Every error that the service returns has a name and a number. Both are public: once released, their meaning never changes, and a
number is never used again. A running service shows this list at \`/authsvc/ErrorCode\`.

A JSON reply looks like this. Pages show a text for people instead, in the language of the page:

\`\`\`json
${example}
\`\`\`

Programs should use \`code\` or \`error_code\`. The log has the \`request_id\` of the request.`;

/** Creates docs/errors.md: the error registry by category. */
export function errorsPage(): string {
  const sections = errorCategories.flatMap(({ name, from, to }) => {
    const rows = errorNames
      .map((key) => ({ key, ...errorRegistry[key] }))
      .filter(({ number }) => number >= from && number <= to)
      .sort((a, b) => a.number - b.number)
      .map(({ key, number, status, message, hint }) => [String(number), code(key), String(status), message, hint]);
    const lines = table(['Number', 'Name', 'Status', 'Message', 'What to do'], rows);
    return [`## ${name} (${from}–${to})`, '', ...(lines.length > 0 ? lines : ['No entry yet.', ''])];
  });
  return page('Errors', 'src/errors/registry.ts', [introduction.trim(), '', ...sections]);
}
