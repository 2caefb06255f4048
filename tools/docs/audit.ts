import { consequenceWords, eventWords, noteWords } from '../../src/events/event-types.ts';
import { code, page, table } from './markdown.ts';

const introduction = `
The audit log is the table \`audit_events\`. Each event is written in the transaction of its change, so no change is stored
without its event, and no event without its change. Most changes write one event, whose \`details\` count what ended as a
consequence. A request or command that makes several changes writes one event for each. Refusals are written after the request,
at most a second later. Equal refusals within that second become one row with a \`count\`.

Rows never change: the database refuses \`UPDATE\`. PostgreSQL also refuses \`TRUNCATE\` and the deletion of rows younger than a
day. The service deletes rows that are older than \`AUDIT_RETENTION_DAYS\`. To read the log, use \`authsvc audit\`: see
[command-line.md](command-line.md).

The service also writes one line to standard output for each event. A command writes the line to standard error, unless standard error
is a terminal or \`--json\` is given. With \`LOG_LEVEL=warn\` or higher, neither writes it. The line is JSON. The field \`audit\` names the event, and empty fields are absent:

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

A row of the table, of the \`--json\` output and of the \`--csv\` output has these fields. Empty fields are null:

| Field | What it holds |
|---|---|
| \`id\`, \`at\`, \`event\` | number of the row; time of the event in ISO 8601, in the table in milliseconds since 1970; name of the event, from the lists below |
| \`actor_type\` | \`user\` (browser session), \`token\` (API token), \`operator\` (command line), \`main_secret\`, \`system\`, \`anonymous\` |
| \`actor_id\`, \`actor_name\` | the user whose session or token made the request; for an operator, the account of the operating system |
| \`subject_id\`, \`subject_name\` | the user that the event is about, with the name at that time |
| \`session_ref\` | reference that names the session without revealing its id |
| \`address\`, \`user_agent\`, \`request_id\` | client address, browser and id of the request; error replies show the same \`request_id\` |
| \`application\` | key of the application that the event is about |
| \`details\` | object whose fields the lists below explain |

The line of an operator's command also has the field \`command\` with the words of the command, such as \`user set\`. The log never contains the name that a person typed
into a sign-in form, because people type passwords there by mistake. It contains no passwords, tokens, codes, hashes or session ids either.`;

const besideRequests = `The service writes a line for each of these events. The table has only \`sign_in.refused\`, \`confirmation.refused\`, and those \`request.refused\`
whose status is 403 or 429 or whose token is not valid. In the table, \`details\` has \`reason\` and \`count\`, with \`route\` for \`request.refused\`
and \`method\` and \`cause\` for the others.`;

type WordsOf = Readonly<Record<string, { when: string; details: Readonly<Record<string, string>> }>>;

const listed = (details: Readonly<Record<string, string>>): string =>
  Object.entries(details)
    .map(([detail, text]) => `${code(detail)}: ${text}`)
    .join('; ');

function rows(words: WordsOf): string[][] {
  return Object.entries(words).map(([name, { when, details }]) => [code(name), when, listed(details) || '–']);
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
    `The details of any of these events can also contain ${listed(consequenceWords)}.`,
    '',
    ...changes,
    '## Refusals and first steps',
    '',
    besideRequests,
    '',
    ...notes,
  ];
  return page('Audit log', 'src/events/event-types.ts', lines);
}
