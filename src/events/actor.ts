/**
 * The kind of actor of an event: a browser session, an API token, an operator's command, the main secret, the service,
 * or a stranger.
 */
export type ActorType = 'user' | 'token' | 'operator' | 'main_secret' | 'system' | 'anonymous';

/** The actor of an event with the request or command, as plain data. */
export interface Actor {
  readonly type: ActorType;
  /** The user behind a session or a token. */
  readonly id?: number;
  /** The username, or the operating system's account of an operator. */
  readonly name?: string;
  /** What the token allows, behind which the user is. */
  readonly tokenScope?: string;
  readonly address?: string;
  /** Cleaned, at most 255 characters. */
  readonly userAgent?: string;
  readonly requestId?: string;
  /** The trace that the request belongs to (W3C Trace Context). */
  readonly traceId?: string;
  readonly sessionRef?: string;
  /** The languages of the browser (Accept-Language). */
  readonly language?: string;
  /** The words of an operator's command, such as `user set`. */
  readonly command?: string;
  /** Imports data of another system. Users get no notice of it. */
  readonly isImport?: true;
}

/** The service itself, without a request or a command. */
export const systemActor: Actor = { type: 'system' };

/** The actor of a completed sign-in, with the session that it opened. */
export const asUser = (actor: Actor, user: Subject, sessionRef: string): Actor => ({
  ...actor,
  type: 'user',
  id: user.id,
  name: user.name,
  sessionRef,
});

/** The user that an event is about, with the name at that time. */
export interface Subject {
  readonly id: number;
  readonly name: string;
}

/** A user as the subject of an event. */
export const subjectOf = ({ id, username }: { id: number; username: string }): Subject => ({ id, name: username });
