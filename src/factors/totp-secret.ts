/** What the secret of a second factor is sealed for. */
export const TOTP_PURPOSE = 'totp secret';
