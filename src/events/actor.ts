/**
 * Who or what causes an event: a browser session, an API token, an operator's command, the main secret, the service
 * itself, or an unknown client.
 */
export type ActorType = 'user' | 'token' | 'operator' | 'main_secret' | 'system' | 'anonymous';

/** The actor of an event and the request or command that the actor used, as plain data. */
export interface Actor {
  readonly type: ActorType;
  /** The id of the user that the session or token belongs to. */
  readonly id?: number;
  /** The username. For an operator: the account name in the operating system. */
  readonly name?: string;
  /** The scope of the API token, if the actor used one. */
  readonly tokenScope?: string;
  readonly address?: string;
  /** The User-Agent header without control characters, at most 255 characters. */
  readonly userAgent?: string;
  readonly requestId?: string;
  /** The id of the trace that the request belongs to (W3C Trace Context). */
  readonly traceId?: string;
  readonly sessionRef?: string;
  /** The languages that the browser prefers (Accept-Language). */
  readonly language?: string;
  /** The name of an operator's command, such as `user set`. */
  readonly command?: string;
  /** Set while data of another system is imported. Users then get no notice of the change. */
  readonly isImport?: true;
}

/** The actor of a change that the service makes by itself, without a request or a command. */
export const systemActor: Actor = { type: 'system' };

/** Returns the actor of a request as a signed-in user, with a session of that user. */
export const asUser = (actor: Actor, user: Subject, sessionRef: string): Actor => ({
  ...actor,
  type: 'user',
  id: user.id,
  name: user.name,
  sessionRef,
});

/** The user that an event is about, with the username at the time of the event. */
export interface Subject {
  readonly id: number;
  readonly name: string;
}

/** Returns a user as the subject of an event. */
export const subjectOf = ({ id, username }: { id: number; username: string }): Subject => ({ id, name: username });
