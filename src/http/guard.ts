import type { ErrorName } from '../errors/registry.ts';
import type { Redirect } from './reply.ts';
import type { Call } from './route.ts';

/** The ways in which a caller can authenticate, as the OpenAPI document describes them. */
export const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'session_id',
    description: 'Encrypted session id, which a sign-in sets',
  },
  rememberedAccounts: {
    type: 'apiKey',
    in: 'cookie',
    name: 'remembered_accounts',
    description: 'Encrypted list of the accounts that are signed in in this browser, which a sign-in sets',
  },
  secondStep: {
    type: 'apiKey',
    in: 'cookie',
    name: 'second_step.NAME',
    description:
      'Encrypted id of a sign-in that waits for its second step, which the first step sets. Each waiting sign-in has its own cookie',
  },
  apiToken: { type: 'http', scheme: 'bearer', description: 'API token: tok_ followed by 64 hexadecimal digits' },
  application: {
    type: 'http',
    scheme: 'basic',
    description: 'Key of an application as the username, and its secret as the password',
  },
  mainSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The value of MAIN_SECRET_TOKEN, without an authentication scheme before it',
  },
} as const;

export type SecurityScheme = keyof typeof securitySchemes;

/** A condition that a call must meet before its handler runs. */
export interface Guard {
  /** What the caller needs, as the documentation names it, such as `session` or `CSRF token`. */
  readonly name: string;
  /** The errors that `check` can throw. */
  readonly errors: readonly ErrorName[];
  /** The ways to authenticate, of which one is enough. Missing if the guard checks something else. */
  readonly securitySchemes?: readonly SecurityScheme[];
  /** For the documentation: where `check` redirects the visitor of a page. */
  readonly sendsTo?: string;
  /**
   * Returns undefined if the call may continue, or a redirect for the browser. Throws an AppError if the call is
   * refused.
   */
  check(call: Call): Promise<Redirect | undefined> | Redirect | undefined;
}
