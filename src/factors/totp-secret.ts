/** The purpose for which the secrets of authenticator apps are sealed. */
export const TOTP_PURPOSE = 'totp secret';
