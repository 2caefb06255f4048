import type { IncomingMessage } from 'node:http';
import type { Actor } from '../events/actor.ts';
import type { GrantUser } from './grant.ts';
import type { Step } from './next-step.ts';

/** The signed-in user, with the data that an authorization request needs. */
export interface Visitor {
  sessionId: string;
  /** How the user signed in. */
  method: string;
  user: GrantUser;
  authenticatedAt: number;
  amr: string[];
  /** Whether the user has a second factor that the service can ask for. */
  hasSecondFactor: boolean;
}

/** The user's progress with a pending authorization request. */
export interface Progress {
  /** When the request arrived. */
  startedAt: number;
  /** Whether the user has chosen the account. */
  hasChosen: boolean;
  /** The id of the user who has agreed to this request. */
  agreedBy: number | undefined;
  /** Whether the user has refused the request. */
  hasRefused: boolean;
}

/** An authorization request that waits for the user. */
export interface WaitingRequest extends Progress {
  id: string;
  /** The parameters that the application sent. */
  params: Readonly<Record<string, unknown>>;
}

/** The content of the page that sends the answer to the application with a form. */
export interface FormAnswer {
  action: string;
  fields: Record<string, string>;
}

/** The data that the service and the library exchange about one request. */
export interface Visit {
  actor: Actor;
  address: string;
  visitor?: Visitor | undefined;
  waiting?: WaitingRequest | undefined;
  /** Counts a wrong secret of an application. Throws AppError TOO_MANY_REQUESTS if there were too many. */
  countWrongSecret?: (key: string) => Promise<void>;
  /** Whether the request names no application. */
  isNameless?: boolean;
  /** The description of an error in the parameters of a request to an endpoint. */
  fault?: string | undefined;
  /** What the user must do next. provider.ts sets it. */
  step?: Promise<Step>;
  /** The id of the pushed request (RFC 9126) that the answer marks as used. adapter.ts sets it. */
  pushedId?: string;
  /** The user of the token that the request is about. provider.ts sets it. */
  tokenUser?: GrantUser | undefined;
  /** The content of the page, if the answer is a page with a form. provider.ts sets it. */
  form?: FormAnswer;
  /** The error, if the answer is our error page. provider.ts sets it. */
  refusal?: unknown;
}

declare module 'node:http' {
  interface IncomingMessage {
    /** Set by the service before the library answers the request. */
    oidcVisit?: Visit;
  }
}

export function visitOf({ oidcVisit: visit }: Pick<IncomingMessage, 'oidcVisit'>): Visit {
  if (!visit) throw new Error('the library answers a request that the service has not given to it');
  return visit;
}
