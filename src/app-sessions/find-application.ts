import { timingSafeEqual } from 'node:crypto';
import { type Application, toApplication } from '../applications/application.ts';
import { isKey } from '../applications/fields.ts';
import { applicationByKey } from '../applications/queries.ts';
import { hashSecret } from '../applications/secret.ts';
import { anyRowOf } from '../db/changes.ts';
import type { LookupCache } from '../db/lookup-cache.ts';
import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';

declare module '../http/route.ts' {
  interface Services {
    /** The cached applications, by key. */
    applicationCache: LookupCache<Application>;
  }
}

/** An application that has authenticated itself by its secret. */
export interface KnownApplication {
  application: Application;
  /** The hash of the secret that the application sent. */
  secretHash: string;
}

/** Returns the name and password in a Basic Authorization header (RFC 7617). */
function credentialsOf(authorization: string | undefined): { key: string; secret: string } | undefined {
  const [, encoded] = /^basic[ \t]+([\w+/=-]+)[ \t]*$/i.exec(authorization ?? '') ?? [];
  const pair = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
  const at = pair.indexOf(':');
  const key = pair.slice(0, Math.max(at, 0));
  return isKey(key) ? { key: key.toLowerCase(), secret: pair.slice(at + 1) } : undefined;
}

/** Returns whether the application is active and this secret of it is valid now. */
export function isSecretOf(
  { secrets, isPublic, disabledAt }: Pick<Application, 'secrets' | 'isPublic' | 'disabledAt'>,
  secretHash: string,
  now: number,
): boolean {
  const sent = Buffer.from(secretHash);
  const matches = secrets.map(({ hash, expiresAt }) => {
    const kept = Buffer.from(hash);
    return kept.length === sent.length && timingSafeEqual(kept, sent) && (expiresAt === null || expiresAt > now);
  });
  return disabledAt === null && !isPublic && matches.includes(true);
}

/**
 * Authenticates an application by its Authorization header. Never returns a cached state that is older than the call.
 *
 * @param authorization untrusted header
 * @throws AppError APP_CREDENTIALS_INVALID; APP_THIRD_PARTY, because only first-party applications may see our cookies
 * @see RFC 7617; RFC 6749 §2.3.1
 */
export async function findApplication(
  { database, applicationCache, clock }: Pick<Services, 'database' | 'applicationCache' | 'clock'>,
  authorization: string | undefined,
): Promise<KnownApplication> {
  const credentials = credentialsOf(authorization);
  const { key = '', secret = '' } = credentials ?? {};
  const application =
    credentials &&
    (await applicationCache.certain.find(key, async () => {
      const row = await applicationByKey.first(database, { key });
      return row && { value: toApplication(row), rows: [anyRowOf('applications')] };
    }));
  const secretHash = hashSecret(secret);
  if (!application || !isSecretOf(application, secretHash, clock.now()))
    throw new AppError('APP_CREDENTIALS_INVALID', { challenge: 'Basic realm="authsvc"' });
  if (application.isThirdParty) throw new AppError('APP_THIRD_PARTY');
  return { application, secretHash };
}
