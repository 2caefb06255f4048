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

/** The key and secret that an application sent. */
interface Credentials {
  key: string;
  secretHash: string;
}

/** An application that has authenticated itself by its secret. */
export interface KnownApplication extends Credentials {
  application: Application;
  /**
   * Whether `application` is certainly not older than the request. An application from memory may lack a change that
   * another process made.
   */
  isCertain: boolean;
}

type Needs = Pick<Services, 'database' | 'applicationCache' | 'clock'>;

/** Returns the credentials in a Basic Authorization header (RFC 7617). */
function credentialsOf(authorization: string | undefined): Credentials | undefined {
  const [, encoded] = /^basic[ \t]+([\w+/=-]+)[ \t]*$/i.exec(authorization ?? '') ?? [];
  const pair = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
  const at = pair.indexOf(':');
  const key = pair.slice(0, Math.max(at, 0));
  return isKey(key) ? { key: key.toLowerCase(), secretHash: hashSecret(pair.slice(at + 1)) } : undefined;
}

/** Returns whether an application is active and the secret with this hash is one of its valid secrets now. */
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

/** Finds the active application that has this key and this secret. */
async function find(
  { database, applicationCache, clock }: Needs,
  { key, secretHash }: Credentials,
  mustBeCertain: boolean,
): Promise<KnownApplication | undefined> {
  const lookup = mustBeCertain ? applicationCache.certain : applicationCache;
  const application = await lookup.find(key, async () => {
    const row = await applicationByKey.first(database, { key });
    return row && { value: toApplication(row), rows: [anyRowOf('applications')] };
  });
  if (!application || !isSecretOf(application, secretHash, clock.now())) return undefined;
  return { application, key, secretHash, isCertain: mustBeCertain || !database.changes.mayLag };
}

/** Refuses unknown applications and third parties. Only first-party applications may see our cookies. */
function requireFirstParty(known: KnownApplication | undefined): KnownApplication {
  if (!known) throw new AppError('APP_CREDENTIALS_INVALID', { challenge: 'Basic realm="authsvc"' });
  if (known.application.isThirdParty) throw new AppError('APP_THIRD_PARTY');
  return known;
}

/**
 * Authenticates an application by its Authorization header. The application that is returned may come from memory. A
 * refusal never relies on memory: before an application is refused, it is read from the database.
 *
 * @param authorization untrusted header
 * @throws AppError APP_CREDENTIALS_INVALID, APP_THIRD_PARTY
 * @see RFC 7617; RFC 6749 §2.3.1
 */
export async function findApplication(needs: Needs, authorization: string | undefined): Promise<KnownApplication> {
  const credentials = credentialsOf(authorization);
  if (!credentials) return requireFirstParty(undefined);
  const known = await find(needs, credentials, false);
  const isAccepted = known !== undefined && !known.application.isThirdParty;
  return isAccepted ? known : requireFirstParty(await find(needs, credentials, true));
}

/**
 * Returns the application in a state that is not older than the request.
 *
 * @param version the version of the application, read from the database after the request arrived. If undefined or
 *   null, the version is unknown, and the application is read again
 * @throws AppError APP_CREDENTIALS_INVALID, APP_THIRD_PARTY if the application has changed and is now refused
 */
export async function confirmApplication(
  needs: Needs,
  known: KnownApplication,
  version?: number | null,
): Promise<KnownApplication> {
  if (known.isCertain || known.application.version === version) return known;
  return requireFirstParty(await find(needs, known, true));
}
