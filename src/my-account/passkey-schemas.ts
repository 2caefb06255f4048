import { type Static, Type } from 'typebox';
import { creationOptions, requestOptions } from '../factors/schemas.ts';
import { orNull } from '../http/values.ts';

const success = { success: Type.Literal(true) };
const csrf = { _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token, unless X-CSRF-Token has it' })) };
const name = Type.String({ description: '1 to 64 characters' });

const ownPasskey = Type.Object({
  ref: Type.String(),
  name: Type.String(),
  created_at: Type.String({ description: 'ISO 8601, UTC' }),
  last_used_at: orNull(Type.String({ description: 'ISO 8601, UTC; null: never' })),
  backed_up: Type.Boolean({ description: 'Copies of it are kept elsewhere, such as by the maker of the device' }),
});

export const passkeysReply = Type.Object({ ...success, passkeys: Type.Array(ownPasskey) });
export type PasskeysReply = Static<typeof passkeysReply>;

export const passkeyReply = Type.Object({ ...success, passkey: ownPasskey });

export const confirmOptionsReply = Type.Object({ ...success, options: requestOptions });

export const newPasskeyOptionsReply = Type.Object({ ...success, options: creationOptions });

export const newPasskeyRequest = Type.Object({
  name: Type.Optional(name),
  response: Type.Object({}, { description: 'RegistrationResponseJSON of Web Authentication' }),
  ...csrf,
});
export type NewPasskeyRequest = Static<typeof newPasskeyRequest>;

export const passkeyNameRequest = Type.Object({ name, ...csrf });
export type PasskeyNameRequest = Static<typeof passkeyNameRequest>;
