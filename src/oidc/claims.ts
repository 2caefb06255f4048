import { mayUseApplication } from '../applications/may-use-application.ts';
import { findRegistry } from '../applications/registry.ts';
import type { Services } from '../http/route.ts';
import { isWebAddress } from '../users/fields.ts';
import type { GrantUser } from './grant.ts';
import type { UserClaims } from './schemas.ts';

type Needs = Pick<Services, 'database' | 'registryCache' | 'baseUrl'>;

/**
 * Returns the URL of a user's picture as an absolute URL. Returns undefined if the user has none, or if it is not
 * an http or https URL.
 */
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
 * Returns the claims for these scopes. They are the same in ID tokens and at userinfo.
 *
 * @see OpenID Connect Core 1.0 §5.1, §5.4. `roles` and `apps` are claims of this service
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
