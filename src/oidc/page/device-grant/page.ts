import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** A pending request of the device flow, and the user who decides on it. */
export interface DeviceGrantRequest {
  userCode: string;
  application: string;
  scopes: readonly ('openid' | 'profile' | 'email' | 'roles' | 'apps' | 'offline_access')[];
  /** The client address of the program that started the request. */
  address: string;
  csrfToken: string;
  username: string;
  fullName: string;
  hasImage: boolean;
  /** Why the form was refused; undefined if it was not. */
  refusal: Refusal | undefined;
}

/** The data for the template. */
export interface DeviceGrantPage {
  /** `ask`: the page asks for a user code. */
  state: 'ask' | 'pending' | 'approved' | 'denied';
  /** In the state `ask`: the text that the user typed if it is not the code of a pending request. */
  typed: string | undefined;
  /** Set in the state `pending`. */
  request?: DeviceGrantRequest;
  /** Set in the states `approved` and `denied`. */
  application?: string;
}

export const deviceGrantPage = definePage({ name: 'device-grant', texts: { en, de }, samples });

/** Maximum length of the text in the input field. */
const MAX_TYPED = 64;

/**
 * Returns the data of the page that asks for a user code.
 *
 * @param typed the wrong code that the user typed before
 */
export const askPageData = (typed?: string): DeviceGrantPage => ({
  state: 'ask',
  typed: typed?.trim().slice(0, MAX_TYPED),
});
