import { SECOND_MS } from '../../../lib/clock.ts';
import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** A pending request, and the person who decides about it. */
export interface DeviceRequest {
  userCode: string;
  clientName: string;
  profileName: string;
  scope: 'read-only' | 'write';
  apps: string[];
  expiresInDays: number;
  address: string;
  /** When the program made the request, ISO 8601, UTC. */
  createdAt: string;
  /** Seconds between `createdAt` and the rendering of the page. */
  ageSeconds: number;
  expiresAt: string;
  username: string;
  fullName: string;
  hasImage: boolean;
}

/** The data of the page, for its template. */
export interface DevicePage {
  state: 'pending' | 'approved' | 'denied' | 'completed' | 'expired';
  /** Only while `state` is `pending`. */
  request?: DeviceRequest;
  csrfToken?: string;
  /** Why the decision was refused; undefined if none was refused. */
  refusal?: Refusal | undefined;
}

export const devicePage = definePage({
  name: 'device',
  texts: { en, de },
  script: { ids: ['decision', 'approve', 'deny', 'form-error', 'question'], isNeeded: true, showsRefusals: true },
  samples,
});

/** The facts about a request that the page shows. */
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

/** Returns the data of the page that asks a person for a decision. */
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
