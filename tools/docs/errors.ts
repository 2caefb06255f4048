import { errorCategories, errorNames, errorRegistry } from '../../src/errors/registry.ts';
import { code, page, table } from './markdown.ts';

const introduction = `
Every refusal of the service has a name and a number. Both are public: a released one never changes its meaning, and a
number is never used again. A running service shows the same list at \`/authsvc/ErrorCode\`.

In JSON an error looks like this; on a page the same words stand in the page:

\`\`\`json
{
  "success": false,
  "message": "Incorrect Username Or Password",
  "code": "PASSWORD_INCORRECT",
  "error_code": 601,
  "hint": "Check both for typing errors; capital letters count in the password.",
  "request_id": "9fYb1yQs-2k"
}
\`\`\`

Programs should look at \`code\` or \`error_code\`. \`request_id\` is the id under which the log tells of the request.`;

/** docs/errors.md: the error registry by category. */
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
