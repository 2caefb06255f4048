import type { Session } from '../sessions/session.ts';
import type { ActiveToken } from './find-token.ts';

/** Who makes a call: the person of a browser's session, or the user of an API token. */
export type Caller = ({ via: 'session' } & Session) | ({ via: 'token' } & ActiveToken);
