import { type Static, Type } from 'typebox';
import { renderSVG } from 'uqr';
import { totpUrl } from '../lib/totp.ts';
import { type ApplicationName, shownName } from '../settings/application-name.ts';
import type { TotpDraft } from './totp-draft.ts';

/** Width of the empty border around a QR code, in modules (ISO/IEC 18004 §9.1). */
const QUIET = 4;

export const totpDraftView = Type.Object({
  secret: Type.String({ description: 'The secret in base32, for entering it by hand' }),
  otpauth_url: Type.String({ description: 'The content of the QR code' }),
  qr_svg: Type.String({ description: 'The QR code as an SVG element' }),
  expires_at: Type.String({ description: 'ISO 8601, UTC' }),
});
type TotpDraftView = Static<typeof totpDraftView>;

/** Returns what the user needs to set up an authenticator app: the secret and its QR code. */
export function toTotpDraft(
  { secret, expiresAt }: TotpDraft,
  { application, username }: { application: ApplicationName; username: string },
): TotpDraftView {
  const url = totpUrl(secret, shownName(application), username);
  return {
    secret,
    otpauth_url: url,
    qr_svg: renderSVG(url, { border: QUIET }),
    expires_at: new Date(expiresAt).toISOString(),
  };
}

const descriptor = Type.Object({
  type: Type.Literal('public-key'),
  id: Type.String(),
  transports: Type.Array(Type.String()),
});

/** The options that a page passes to `navigator.credentials.get`. */
export const requestOptions = Type.Object(
  {
    challenge: Type.String({ description: 'base64url; valid once, for five minutes, in this browser' }),
    rpId: Type.String(),
    allowCredentials: Type.Array(descriptor, { description: 'Empty for a sign-in, because the user is not known yet' }),
    userVerification: Type.Literal('required'),
    timeout: Type.Integer({ description: 'milliseconds' }),
  },
  { description: 'PublicKeyCredentialRequestOptionsJSON of Web Authentication' },
);

/** The options that a page passes to `navigator.credentials.create`. */
export const creationOptions = Type.Object(
  {
    rp: Type.Object({ id: Type.String(), name: Type.String() }),
    user: Type.Object({
      id: Type.String({ description: 'User handle: base64url of 64 random bytes, always the same for a user' }),
      name: Type.String(),
      displayName: Type.String(),
    }),
    challenge: Type.String({ description: 'base64url; valid once, for five minutes, in this browser' }),
    pubKeyCredParams: Type.Array(Type.Object({ type: Type.Literal('public-key'), alg: Type.Integer() })),
    timeout: Type.Integer({ description: 'milliseconds' }),
    attestation: Type.Literal('none'),
    excludeCredentials: Type.Array(descriptor, { description: 'The passkeys that the user already has' }),
    authenticatorSelection: Type.Object({
      residentKey: Type.Literal('required'),
      requireResidentKey: Type.Literal(true),
      userVerification: Type.Literal('required'),
    }),
  },
  { description: 'PublicKeyCredentialCreationOptionsJSON of Web Authentication' },
);
