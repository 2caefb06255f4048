import type { DeviceGrantRequest } from './page.ts';

const scopes: Record<DeviceGrantRequest['scopes'][number], string> = {
  openid: 'Recognise your account',
  profile: 'See your name, username and picture',
  email: 'See your e\u2011mail address',
  roles: 'See your role',
  apps: 'See which applications you may use',
  offline_access: 'Keep its access after you sign out',
};

/** Texts of the page in English. */
export const en = {
  title: 'Sign in on a device',
  lede: 'Enter the code that the device shows. You then see what the device requests.',
  code: 'Code',
  codeHint: 'Eight letters, such as BCDF-GHJK.',
  submit: 'Continue',
  /** The two parts before and after the name of the application. */
  question: ['Let', 'sign in on a device?'],
  questionTitle: 'Let an application sign in?',
  quoted: (name: string) => `“${name}”`,
  as: 'The application gets access to this account:',
  switchAccount: 'Switch account',
  compare: 'Compare this code with the code on the device:',
  asks: 'The application wants to:',
  scopes,
  warning:
    'Did someone send you this link or code? Then choose Deny. Approving would give them access to your account.',
  approve: 'Approve',
  deny: 'Deny',
  address: 'IP address of the device',
  details: 'Details',
  approvedTitle: 'Approved',
  approved: (application: string) => `${application} is signing in. You can close this page and go back to the device.`,
  deniedTitle: 'Denied',
  denied: (application: string) => `${application} gets no access. You can close this page.`,
  start: 'Go to the start page',
};
