import { createHmac } from 'node:crypto';
import type { Caller } from '../api-tokens/caller.ts';
import type { Application } from '../applications/application.ts';
import type { Change } from '../db/changes.ts';
import type { Sealer } from '../lib/sealing.ts';

const LENGTH = 22;

/** Names the row of a session or an API token to an application. */
export type RefOf = (application: Pick<Application, 'id'>, row: Change) => string;

declare module '../http/route.ts' {
  interface Services {
    refOf: RefOf;
  }
}

/**
 * Creates the function that names sessions and tokens: always the same name for one application, and a different one
 * for each application, so that applications cannot compare names.
 *
 * @param dataSealer its keys are the same in every process of a database
 */
export function createRefOf(dataSealer: Pick<Sealer, 'keys'>): RefOf {
  const [key = ''] = dataSealer.keys('refs of applications');
  return ({ id }, row) => createHmac('sha256', key).update(`${id} ${row}`).digest('base64url').slice(0, LENGTH);
}

/** The row of a caller's session or token, as the change feed names it. */
export const rowOf = (caller: Caller): Change =>
  caller.via === 'token' ? `api_tokens ${caller.tokenId}` : `sessions ${caller.id}`;
