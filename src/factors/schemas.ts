import { type Static, Type } from 'typebox';
import { renderSVG } from 'uqr';
import { totpUrl } from '../lib/totp.ts';
import { type ApplicationName, shownName } from '../settings/application-name.ts';
import type { TotpDraft } from './totp-draft.ts';

/** Modules of quiet around a QR code (ISO/IEC 18004 §9.1). */
const QUIET = 4;

export const totpDraftView = Type.Object({
  secret: Type.String({ description: 'base32, for typing' }),
  otpauth_url: Type.String({ description: 'the content of the QR code' }),
  qr_svg: Type.String({ description: 'the QR code as an SVG element' }),
  expires_at: Type.String({ description: 'ISO 8601, UTC' }),
});
type TotpDraftView = Static<typeof totpDraftView>;

/** An authenticator app that is being set up, as its user sees it. */
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
