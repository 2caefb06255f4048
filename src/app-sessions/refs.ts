import { createHmac } from 'node:crypto';
import type { Caller } from '../api-tokens/caller.ts';
import type { Application } from '../applications/application.ts';
import type { Change } from '../db/changes.ts';
import type { Sealer } from '../lib/sealing.ts';

const LENGTH = 22;

/** Returns the name that an application gets for the row of a session or an API token. */
export type RefOf = (application: Pick<Application, 'id'>, row: Change) => string;

declare module '../http/route.ts' {
  interface Services {
    refOf: RefOf;
  }
}

/**
 * Creates the function that names sessions and tokens for applications. One application always gets the same name for a
 * row. Different applications get different names, so they cannot find out that they have the same visitor.
 *
 * @param dataSealer its keys are the same in every process that uses the same database
 */
export function createRefOf(dataSealer: Pick<Sealer, 'keys'>): RefOf {
  const [key = ''] = dataSealer.keys('refs of applications');
  return ({ id }, row) => createHmac('sha256', key).update(`${id} ${row}`).digest('base64url').slice(0, LENGTH);
}

/** Returns the row of a caller's session or token in the form that the change feed uses. */
export const rowOf = (caller: Caller): Change =>
  caller.via === 'token' ? `api_tokens ${caller.tokenId}` : `sessions ${caller.id}`;
