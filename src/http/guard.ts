import type { ErrorName } from '../errors/registry.ts';
import type { Redirect } from './reply.ts';
import type { Call } from './route.ts';

/** How a caller proves who they are, as the OpenAPI document describes it. */
export const securitySchemes = {
  session: { type: 'apiKey', in: 'cookie', name: 'session_id', description: 'Sealed session, set by a sign-in' },
  rememberedAccounts: {
    type: 'apiKey',
    in: 'cookie',
    name: 'remembered_accounts',
    description: 'Sealed list of the accounts of this browser, set by a sign-in',
  },
  secondStep: {
    type: 'apiKey',
    in: 'cookie',
    name: 'second_step.NAME',
    description: 'Sealed id of a sign-in that waits for its second step, set by the first step; one cookie for each',
  },
  apiToken: { type: 'http', scheme: 'bearer', description: 'API token: tok_ and 64 hexadecimal digits' },
  application: { type: 'http', scheme: 'basic', description: 'Key of an application, and its secret as the password' },
  mainSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'MAIN_SECRET_TOKEN, without a scheme',
  },
} as const;

export type SecurityScheme = keyof typeof securitySchemes;

/** A condition that a call must meet before its handler runs. */
export interface Guard {
  /** What the caller needs, as the documentation names it: `session`, `CSRF token`. */
  readonly name: string;
  /** The errors that `check` can throw. */
  readonly errors: readonly ErrorName[];
  /** The ways to prove who calls; one of them is enough. None: the guard asks for something else. */
  readonly securitySchemes?: readonly SecurityScheme[];
  /** Where `check` sends the visitor of a page, in words. */
  readonly sendsTo?: string;
  /** Lets the call pass, sends the browser elsewhere, or throws an AppError. */
  check(call: Call): Promise<Redirect | undefined> | Redirect | undefined;
}
