import { SECOND_MS } from '../lib/clock.ts';
import type { PageData } from '../ui/render.ts';

/** As long as the field takes. */
const MAX_TYPED = 64;

/** A request as its page needs it. */
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

/** The page that asks for a code again, with the one that led nowhere still in its field. */
export function unknownPage(typed: string): PageData['device'] {
  return { state: 'unknown', typed: typed.trim().slice(0, MAX_TYPED) };
}

/** The page that asks for a decision. */
export function pendingPage(request: Shown, viewer: Viewer, now: number): PageData['device'] {
  const { createdAt, expiresAt, ...facts } = request;
  return {
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
