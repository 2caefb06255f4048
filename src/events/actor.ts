/** Who causes an event: a browser session, an API token, an operator's command, the main secret, the service, or a stranger. */
export type ActorType = 'user' | 'token' | 'operator' | 'main_secret' | 'system' | 'anonymous';

/** Who causes an event and by which request or command, as plain data. */
export interface Actor {
  readonly type: ActorType;
  /** The user behind a session or a token. */
  readonly id?: number;
  /** The username, or the operating system's account of an operator. */
  readonly name?: string;
  readonly address?: string;
  /** Cleaned, at most 255 characters. */
  readonly userAgent?: string;
  readonly requestId?: string;
  readonly sessionRef?: string;
  /** The languages that the browser asks for (Accept-Language). */
  readonly language?: string;
  /** The words of an operator's command, such as `user set`. */
  readonly command?: string;
  /** Takes over what another system has: no one is told of it. */
  readonly isImport?: true;
}

/** The service itself, without a request or a command. */
export const systemActor: Actor = { type: 'system' };

/** An actor who has proven to be a user, by a session with this ref. */
export const asUser = (actor: Actor, user: Subject, sessionRef: string): Actor => ({
  ...actor,
  type: 'user',
  id: user.id,
  name: user.name,
  sessionRef,
});

/** The user that an event is about, as named at that moment. */
export interface Subject {
  readonly id: number;
  readonly name: string;
}

/** A user as the subject of an event. */
export const subjectOf = ({ id, username }: { id: number; username: string }): Subject => ({ id, name: username });
