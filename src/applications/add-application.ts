import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { type Application, toApplication } from './application.ts';
import { type ApplicationFields, type FieldRules, parseFields, parseKey } from './fields.ts';
import { insertApplication } from './queries.ts';
import { hashSecret, newSecret } from './secret.ts';

/** An application and its new secret, which is shown only once. */
export interface WithSecret {
  application: Application;
  secret?: string;
}

export interface NewApplication extends ApplicationFields {
  key: string;
  name: string;
}

/**
 * Registers an application. It is active at once.
 *
 * @returns the application, and its secret unless it is public
 * @throws AppError FIELD_INVALID; APPLICATION_KEY_TAKEN
 */
export async function addApplication(
  { database, now, actor }: Change,
  rules: FieldRules,
  { key: given, ...fields }: NewApplication,
): Promise<WithSecret> {
  const key = parseKey(given);
  const { isPublic = false, isThirdParty = false } = fields;
  const parsed = parseFields({ ...fields, isPublic, isThirdParty }, rules, isPublic);
  const secret = isPublic ? undefined : newSecret();
  const row = await database.transaction(async (tx) => {
    const inserted = await insertApplication.first(tx, {
      key,
      name: parsed.name ?? '',
      urls: parsed.urls ?? '[]',
      redirect_uris: parsed.redirect_uris ?? '[]',
      post_logout_redirect_uris: parsed.post_logout_redirect_uris ?? '[]',
      roles: parsed.roles ?? '[]',
      backchannel_logout_uri: parsed.backchannel_logout_uri ?? null,
      icon: parsed.icon ?? null,
      is_public: Number(isPublic),
      is_third_party: Number(isThirdParty),
      device_flow: parsed.device_flow ?? 0,
      id_token_alg: parsed.id_token_alg ?? 'RS256',
      pkce_required: parsed.pkce_required ?? 1,
      secret_hash: secret === undefined ? null : hashSecret(secret),
      created_at: now,
    });
    if (!inserted) throw new AppError('APPLICATION_KEY_TAKEN', { key });
    const set = Object.entries(parsed).flatMap(([field, value]) => (value ? [field] : []));
    const details = { key, change: 'created', fields: set } as const;
    await recordEvent(tx, { type: 'application.changed', actor, subject: null, details, application: key });
    return inserted;
  });
  return { application: toApplication(row), ...(secret === undefined ? {} : { secret }) };
}
