import type { Application } from '../applications/application.ts';
import { type Change, EVERYTHING } from '../db/changes.ts';
import type { RefOf } from './refs.ts';

/** Maximum number of changes that are reported individually. More changes are reported as a single `lost` event. */
const MAX_NAMED = 500;

const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** The first event of a stream. Answers that the application cached earlier are no longer valid. */
export const HELLO = event('hello', {});
/** Tells the application that any cached answer may be out of date. */
export const LOST = event('lost', {});
/** A heartbeat: a comment line, which is no event. */
export const COMMENT = ':\n\n';

/** Returns the events that tell an application about some changes, or '' if none of the changes concern it. */
export function eventsOf(changes: readonly Change[], application: Application, refOf: RefOf): string {
  if (changes.includes(EVERYTHING) || changes.length > MAX_NAMED) return LOST;
  const refs: string[] = [];
  const users: string[] = [];
  for (const change of changes) {
    const [table, id] = change.split(' ');
    if (table === 'users') users.push(event('user', { user_id: Number(id) }));
    if (table === 'sessions' || table === 'api_tokens') refs.push(refOf(application, change));
  }
  return (refs.length > 0 ? event('ended', { refs }) : '') + users.join('');
}
