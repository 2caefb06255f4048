import { mayUseApplication } from '../applications/may-use-application.ts';
import { findRegistry } from '../applications/registry.ts';
import type { Services } from '../http/route.ts';
import { isWebAddress } from '../users/fields.ts';
import type { GrantUser } from './grant.ts';
import type { UserClaims } from './schemas.ts';

type Needs = Pick<Services, 'database' | 'registryCache' | 'baseUrl'>;

/** The picture of a user as an address that works anywhere; undefined: there is none that a browser may open. */
function pictureOf({ image }: GrantUser, baseUrl: string): string | undefined {
  if (image === '' || !URL.canParse(image, baseUrl)) return undefined;
  const { href } = new URL(image, baseUrl);
  return isWebAddress(href) ? href : undefined;
}

async function appsOf(services: Needs, user: GrantUser): Promise<string[]> {
  const { active } = await findRegistry(services);
  return [...active.values()].filter((application) => mayUseApplication(user, application)).map(({ key }) => key);
}

/**
 * The claims of these scopes, in ID tokens and at userinfo alike.
 *
 * @see OpenID Connect Core 1.0 §5.1, §5.4; `roles` and `apps` are our own
 */
export async function claimsOf(services: Needs, user: GrantUser, scopes: readonly string[]): Promise<UserClaims> {
  const has = (scope: string) => scopes.includes(scope);
  const picture = pictureOf(user, services.baseUrl());
  return {
    sub: user.sub,
    ...(has('profile')
      ? {
          name: user.fullName || user.username,
          preferred_username: user.username,
          ...(picture === undefined ? {} : { picture }),
          updated_at: Math.floor(user.updatedAt / 1000),
        }
      : {}),
    ...(has('email') && user.email !== null ? { email: user.email, email_verified: true } : {}),
    ...(has('roles') ? { roles: [user.role] } : {}),
    ...(has('apps') ? { apps: await appsOf(services, user) } : {}),
  };
}
