import type { Application } from '../applications/application.ts';
import { type Change, EVERYTHING } from '../db/changes.ts';
import type { RefOf } from './refs.ts';

/** The maximum number of changes that are named one by one. */
const MAX_NAMED = 500;

const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** The stream is open. Answers from before are no longer valid. */
export const HELLO = event('hello', {});
/** Anything may have changed. */
export const LOST = event('lost', {});
/** A heartbeat. */
export const COMMENT = ':\n\n';

/** The events of an application for some changes; empty: none. */
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
