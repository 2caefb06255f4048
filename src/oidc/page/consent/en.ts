import type { ConsentPage } from './page.ts';

const scopes: Record<ConsentPage['scopes'][number], string> = {
  openid: 'Recognise your account',
  profile: 'See your name, username and picture',
  email: 'See your e\u2011mail address',
  roles: 'See your role',
  apps: 'See which applications you may use',
  offline_access: 'Keep its access after you sign out',
};

/** Texts of the page in English. */
export const en = {
  /** The two parts before and after the name of the application. */
  question: ['Let', 'use your account?'],
  quoted: (name: string) => `“${name}”`,
  title: 'Let an application use your account?',
  lede: (host: string) => `The application at ${host} is not one of ours. It asks to:`,
  as: 'The application gets access to this account:',
  switchAccount: 'Switch account',
  scopes,
  approve: 'Allow',
  deny: 'Deny',
};
