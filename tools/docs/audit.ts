import { eventWords, noteWords } from '../../src/events/event-types.ts';
import { code, page, table } from './markdown.ts';

const introduction = `
The audit log is the table \`audit_events\`. Each event is written in the transaction of its change, so no change is stored
without its event, and no event without its change. A request or command that changes something writes one event; its
\`details\` count what ended as a consequence. Refusals are written separately from the request, at most a second later.
Equal refusals within that time are one row with a \`count\`.

Rows never change: the database refuses \`UPDATE\`, and PostgreSQL also \`TRUNCATE\` and the deletion of rows younger than a
day. \`AUDIT_RETENTION_DAYS\` says when old rows are deleted. To read the log, see \`authsvc audit\` in
[command-line.md](command-line.md).

The service also writes one line to standard output for each event. A command writes the line to standard error, unless that
is a terminal or \`--json\` is given. The line is JSON. \`audit\` names the event; empty fields are absent:

\`\`\`json
{
  "level": "info",
  "time": "2026-11-28T01:24:22.961Z",
  "pid": 16442,
  "audit": "user.signed_in",
  "actor_type": "user",
  "actor_id": 1,
  "actor_name": "ada",
  "subject_id": 1,
  "subject_name": "ada",
  "session_ref": "8f1f0d6c2f5f4b1fa1f0c3d2",
  "address": "192.0.2.7",
  "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
  "request_id": "R783DBP6-4",
  "details": { "method": "password", "second_factor": "none", "sessions_ended": 0 },
  "msg": "audit: user.signed_in"
}
\`\`\`

A row of the table, of \`--json\` and of \`--csv\` has these fields, null if empty:

| Field | What it holds |
|---|---|
| \`id\`, \`at\`, \`event\` | number of the row; ISO 8601, in the table milliseconds since 1970; a name below |
| \`actor_type\` | \`user\` (browser session), \`token\` (API token), \`operator\` (command line), \`main_secret\`, \`system\`, \`anonymous\` |
| \`actor_id\`, \`actor_name\` | the user behind a session or token; for an operator, the account of the operating system |
| \`subject_id\`, \`subject_name\` | the user that the event is about, as named at that moment |
| \`session_ref\` | names the session without giving its id away |
| \`address\`, \`user_agent\`, \`request_id\` | of the request; \`request_id\` is the one that an error reply shows |
| \`application\` | key of the application that the event is about |
| \`details\` | object; its fields are below |

The line also has \`command\`, the words of an operator's command, such as \`user set\`. Nothing that a person typed as a
name is ever written: people type passwords there. Neither are passwords, tokens, codes, hashes and session ids.`;

const besideRequests = `Every one of these is a line of the service. The table has \`sign_in.refused\`, \`confirmation.refused\`, and \`request.refused\`
where the status is 403 or 429 or a token is not valid. There, \`details\` has \`reason\`, \`count\`, and \`route\` for \`request.refused\`,
else \`method\` and \`cause\`.`;

type WordsOf = Readonly<Record<string, { when: string; details: Readonly<Record<string, string>> }>>;

function rows(words: WordsOf): string[][] {
  return Object.entries(words).map(([name, { when, details }]) => {
    const listed = Object.entries(details).map(([detail, text]) => `${code(detail)}: ${text}`);
    return [code(name), when, listed.join('; ') || '–'];
  });
}

/** Creates docs/audit.md: every event with its details. */
export function auditPage(): string {
  const titles = ['Event', 'When', 'Details'];
  const changes = table(titles, rows(eventWords));
  const notes = table(titles, rows(noteWords));
  const lines = [
    introduction.trim(),
    '',
    '## Changes',
    '',
    ...changes,
    '## Beside requests',
    '',
    besideRequests,
    '',
    ...notes,
  ];
  return page('Audit log', 'src/events/event-types.ts', lines);
}
