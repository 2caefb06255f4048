import { SECOND_MS } from '../../../lib/clock.ts';
import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** A request that waits for a decision, and the person who decides. */
export interface DeviceRequest {
  userCode: string;
  clientName: string;
  profileName: string;
  scope: 'read-only' | 'write';
  apps: string[];
  expiresInDays: number;
  address: string;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** How long ago that was when the page was rendered. */
  ageSeconds: number;
  expiresAt: string;
  username: string;
  fullName: string;
  hasImage: boolean;
}

/** What the template needs. */
export interface DevicePage {
  state: 'pending' | 'approved' | 'denied' | 'completed' | 'expired';
  /** With the state pending only. */
  request?: DeviceRequest;
  csrfToken?: string;
  /** Why the decision was refused; undefined: it was not. */
  refusal?: Refusal | undefined;
}

export const devicePage = definePage({
  name: 'device',
  texts: { en, de },
  script: { ids: ['decision', 'approve', 'deny', 'form-error', 'question'], isNeeded: true, showsRefusals: true },
  samples,
});

/** The data of the page for a request. */
interface Shown {
  userCode: string;
  clientName: string;
  profileName: string;
  scope: 'read-only' | 'write';
  apps: string[];
  expiresInDays: number;
  address: string;
  createdAt: number;
  expiresAt: number;
}

interface Viewer {
  username: string;
  fullName: string;
  image: string;
}

/** The page that asks for a decision. */
export function pendingPageData(
  request: Shown,
  viewer: Viewer,
  { now, ...rest }: Pick<DevicePage, 'csrfToken' | 'refusal'> & { now: number },
): DevicePage {
  const { createdAt, expiresAt, ...facts } = request;
  return {
    ...rest,
    state: 'pending',
    request: {
      ...facts,
      createdAt: new Date(createdAt).toISOString(),
      ageSeconds: Math.round((now - createdAt) / SECOND_MS),
      expiresAt: new Date(expiresAt).toISOString(),
      username: viewer.username,
      fullName: viewer.fullName,
      hasImage: viewer.image !== '',
    },
  };
}
