import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** A request of the device flow that waits for a decision, and the person who is asked for it. */
export interface DeviceGrantRequest {
  userCode: string;
  application: string;
  scopes: readonly ('openid' | 'profile' | 'email' | 'roles' | 'apps' | 'offline_access')[];
  /** Client address that asked. */
  address: string;
  csrfToken: string;
  username: string;
  fullName: string;
  hasImage: boolean;
  /** Why the form was refused; undefined: it was not. */
  refusal: Refusal | undefined;
}

/** What the template needs. */
export interface DeviceGrantPage {
  /** ask: for a code. */
  state: 'ask' | 'pending' | 'approved' | 'denied';
  /** With the state ask: what was typed and is no code of a request that waits. */
  typed: string | undefined;
  /** With the state pending. */
  request?: DeviceGrantRequest;
  /** With the state approved or denied. */
  application?: string;
}

export const deviceGrantPage = definePage({ name: 'device-grant', texts: { en, de }, samples });

/** As many characters as the field takes. */
const MAX_TYPED = 64;

/** The page that asks for a code, again if there was none like it. */
export const askPageData = (typed?: string): DeviceGrantPage => ({
  state: 'ask',
  typed: typed?.trim().slice(0, MAX_TYPED),
});
