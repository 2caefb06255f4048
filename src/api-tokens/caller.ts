import type { Session } from '../sessions/session.ts';
import type { ActiveToken } from './find-token.ts';

/** The caller of a route: the user of a browser's session or of an API token. */
export type Caller = ({ via: 'session' } & Session) | ({ via: 'token' } & ActiveToken);
