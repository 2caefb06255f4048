/** A provider whose accounts people may sign in with. */
export type Provider = 'codehost' | 'websso';
