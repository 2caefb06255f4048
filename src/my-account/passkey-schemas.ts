import { type Static, Type } from 'typebox';
import { creationOptions, requestOptions } from '../factors/schemas.ts';
import { orNull } from '../http/values.ts';

const success = { success: Type.Literal(true) };
const csrf = {
  _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token, unless the header X-CSRF-Token carries it' })),
};
const name = Type.String({ description: 'Name of the passkey: 1 to 64 characters' });

const ownPasskey = Type.Object({
  ref: Type.String(),
  name: Type.String(),
  created_at: Type.String({ description: 'ISO 8601, UTC' }),
  last_used_at: orNull(Type.String({ description: 'ISO 8601, UTC; null if the passkey was never used' })),
  backed_up: Type.Boolean({
    description: 'Whether the passkey is backed up, for example in the account of a password manager',
  }),
});

export const passkeysReply = Type.Object({ ...success, passkeys: Type.Array(ownPasskey) });
export type PasskeysReply = Static<typeof passkeysReply>;

export const passkeyReply = Type.Object({ ...success, passkey: ownPasskey });

export const confirmOptionsReply = Type.Object({ ...success, options: requestOptions });

export const newPasskeyOptionsReply = Type.Object({ ...success, options: creationOptions });

export const newPasskeyRequest = Type.Object({
  name: Type.Optional(name),
  response: Type.Object(
    {},
    { description: 'Response of the authenticator: RegistrationResponseJSON of Web Authentication' },
  ),
  ...csrf,
});
export type NewPasskeyRequest = Static<typeof newPasskeyRequest>;

export const passkeyNameRequest = Type.Object({ name, ...csrf });
export type PasskeyNameRequest = Static<typeof passkeyNameRequest>;
