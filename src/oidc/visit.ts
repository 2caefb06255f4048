import type { IncomingMessage } from 'node:http';
import type { Actor } from '../events/actor.ts';
import type { GrantUser } from './grant.ts';
import type { Step } from './next-step.ts';

/** The person who is signed in, as an authorization request needs it. */
export interface Visitor {
  sessionId: string;
  /** How the person signed in. */
  method: string;
  user: GrantUser;
  authenticatedAt: number;
  amr: string[];
  /** Whether the service can ask the person for a second factor. */
  hasSecondFactor: boolean;
}

/** How far a person has come with an authorization request that waits. */
export interface Progress {
  /** When the request came. */
  startedAt: number;
  /** The person has chosen the account. */
  hasChosen: boolean;
  /** The user who has agreed to what this request asks for. */
  agreedBy: number | undefined;
  /** The person has refused. */
  hasRefused: boolean;
}

/** An authorization request that waits for a person. */
export interface WaitingRequest extends Progress {
  id: string;
  /** As the application sent them. */
  params: Readonly<Record<string, unknown>>;
}

/** The page that sends the answer to the application by a form. */
export interface FormAnswer {
  action: string;
  fields: Record<string, string>;
}

/** What the service knows of a request that the library answers, and what the library leaves to the service. */
export interface Visit {
  actor: Actor;
  address: string;
  visitor?: Visitor | undefined;
  waiting?: WaitingRequest | undefined;
  /** Counts a wrong secret of an application; throws AppError TOO_MANY_REQUESTS where there were too many. */
  countWrongSecret?: (key: string) => Promise<void>;
  /** The request says of no application that it comes from there. */
  isNameless?: boolean;
  /** What is wrong with the parameters of a request to an endpoint. */
  fault?: string | undefined;
  /** Set by the library's side: what the person has to do next. */
  step?: Promise<Step>;
  /** Set by the library's side: the request of the application (RFC 9126) that the answer uses up. */
  pushedId?: string;
  /** Set by the library's side: the user of the token that the request is about. */
  tokenUser?: GrantUser | undefined;
  /** Set by the library's side: the answer is this page. */
  form?: FormAnswer;
  /** Set by the library's side: the answer is an error page of ours. */
  refusal?: unknown;
}

declare module 'node:http' {
  interface IncomingMessage {
    /** Set by the service for the library's side. */
    oidcVisit?: Visit;
  }
}

export function visitOf({ oidcVisit: visit }: Pick<IncomingMessage, 'oidcVisit'>): Visit {
  if (!visit) throw new Error('the library answers a request that the service has not given to it');
  return visit;
}
