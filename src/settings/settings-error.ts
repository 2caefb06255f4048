/** The settings cannot be used; the message lists every bad key. */
export class SettingsError extends Error {}
