import { builtInProviderNames } from '../../../settings/provider-names.ts';
import type { SampleText } from '../../../ui/define-page.ts';
import type { Language } from '../../../ui/texts/languages.ts';
import type { AccountPage, AccountView } from './page.ts';
import { accountViews } from './views.ts';

const AT = '2026-01-02T03:04:05.006Z';
const [provider] = builtInProviderNames;

type Session = Extract<AccountView, { view: 'sessions' }>['sessions'][number];

type Samples = Record<string, AccountPage>;

const baseOf = (text: SampleText) =>
  ({
    csrfToken: text('token'),
    pages: accountViews.slice(),
    refusal: undefined,
    done: undefined,
    confirmation: { ways: ['passkey', 'password'], seconds: 0 },
    pending: undefined,
  }) as const;

function profileOf(text: SampleText): Samples {
  const base = baseOf(text);
  const overview: Extract<AccountPage, { view: 'overview' }> = {
    ...base,
    view: 'overview',
    account: {
      user_id: 42,
      username: text('ada'),
      full_name: text('Ada Lovelace'),
      image: text('https://pictures.example/ada.png'),
      role: text('normaluser'),
      allowed_apps: [text('authsvc'), text('portal')],
      email: text('ada@example.com'),
      email_pending: null,
      has_password: true,
      two_factor_enabled: false,
      recovery_codes_left: 0,
      passkeys: 0,
      created_at: AT,
      last_login_at: AT,
    },
    apps: [text('Harbour'), text('Portal')],
    canEdit: true,
    hasMail: false,
    values: { full_name: text('Ada Lovelace'), image: text('https://pictures.example/ada.png'), email: '' },
  };
  return {
    overview,
    'overview-saved': { ...overview, done: 'saved' },
    'overview-locked': {
      ...overview,
      canEdit: false,
      account: { ...overview.account, role: 'superadmin', email: null, last_login_at: null },
    },
    'overview-mail': { ...overview, hasMail: true },
    'overview-mail-pending': {
      ...overview,
      hasMail: true,
      done: 'emailOffered',
      account: { ...overview.account, email: null, email_pending: text('ada@example.org') },
    },
    'overview-mail-changing': {
      ...overview,
      hasMail: true,
      account: { ...overview.account, email_pending: text('ada@example.org') },
    },
    'overview-mail-refused': {
      ...overview,
      hasMail: true,
      values: { ...overview.values, email: text('ada') },
      refusal: { field: 'email', code: 'EMAIL_INVALID' },
    },
    'overview-refused': { ...overview, refusal: { field: 'image', code: 'FIELD_INVALID' } },
  };
}

function passwordOf(text: SampleText): Samples {
  const base = baseOf(text);
  const password: AccountPage = {
    ...base,
    view: 'password',
    username: text('ada'),
    hasPassword: true,
    asksForCode: false,
    mustConfirm: false,
    tokenCount: 0,
    endsTokens: false,
  };
  return {
    password,
    'password-saved': { ...password, done: 'passwordChanged', tokenCount: 2 },
    'password-refused': { ...password, refusal: { field: 'current_password', code: 'CURRENT_PASSWORD_INCORRECT' } },
    'password-wait': {
      ...password,
      tokenCount: 2,
      endsTokens: true,
      refusal: { field: undefined, code: 'TOO_MANY_LOGINS', waitSeconds: 90 },
    },
    'password-with-code': { ...password, asksForCode: true, tokenCount: 1 },
    'password-first': { ...password, hasPassword: false },
    'password-confirm': { ...password, hasPassword: false, mustConfirm: true },
    'password-confirm-elsewhere': {
      ...password,
      hasPassword: false,
      mustConfirm: true,
      confirmation: { ways: [provider], seconds: 0 },
    },
  };
}

function connectionsOf(text: SampleText): Samples {
  const connection = { provider: text(provider), label: text('Codehost'), enabled: true, linked: true };
  const connections: AccountPage = {
    ...baseOf(text),
    view: 'connections',
    connections: [
      { ...connection, account_id: text('4711'), linked_at: AT },
      { ...connection, linked: false, account_id: null, linked_at: null },
      { ...connection, enabled: false, account_id: text('4712'), linked_at: AT },
    ],
    onward: undefined,
  };
  const pending = {
    path: '/authsvc/account/connections/unlink',
    fields: [{ name: text('provider'), value: text(provider) }],
  };
  const waiting: AccountPage = {
    ...connections,
    pending,
    refusal: { field: undefined, code: 'CONFIRMATION_REQUIRED' },
  };
  const waitingFor = (ways: string[]): AccountPage => ({ ...waiting, confirmation: { ways, seconds: 0 } });
  return {
    connections,
    'connections-unlinked': { ...connections, done: 'unlinked' },
    'connections-onward': {
      ...connections,
      onward: { label: text('Codehost'), url: text('https://codehost.example/') },
    },
    'connections-last': { ...connections, refusal: { field: undefined, code: 'LAST_WAY_IN' } },
    'connections-confirm': waiting,
    'connections-confirm-again': { ...waiting, refusal: { field: 'password', code: 'CONFIRMATION_FAILED' } },
    'connections-confirm-code': waitingFor(['totp']),
    'connections-confirm-passkey': waitingFor(['passkey']),
    'connections-confirm-elsewhere': waitingFor([provider]),
    'connections-confirm-never': waitingFor([]),
  };
}

/** Descriptions of events, as the service passes them to the page. */
const eventWords: Record<Language, { signedIn: string; approved: string }> = {
  en: { signedIn: 'Signed in (password)', approved: 'Program approved: מחשב של עדה' },
  de: { signedIn: 'Angemeldet (Passwort)', approved: 'Programm erlaubt: מחשב של עדה' },
};

function activityOf(text: SampleText, language: Language): Samples {
  const base = { ...baseOf(text), view: 'activity' } as const;
  const words = eventWords[language];
  const signedIn = { at: AT, event: 'user.signed_in', text: text(words.signedIn), system: text('Linux') };
  const approved = { ...signedIn, event: 'device.approved', text: text(words.approved) };
  return {
    activity: {
      ...base,
      events: [
        { ...signedIn, by: 'you', address: text('198.51.100.7'), browser: text('Firefox 128') },
        { ...approved, by: 'you', address: text('198.51.100.7'), browser: null },
        { ...signedIn, by: 'operator', address: null, browser: null, system: null },
      ],
      next: text('1-2'),
    },
    'activity-none': { ...base, events: [], next: null },
  };
}

function lists(text: SampleText): Samples {
  const base = baseOf(text);
  const session: Session = {
    ref: text('b5d2a1f09c3e47d8a6b1c0f2'),
    browser: text('Firefox 128'),
    system: text('Linux'),
    address: text('198.51.100.7'),
    method: 'password',
    created_at: AT,
    last_seen_at: AT,
    expires_at: AT,
    current: true,
  };
  const other: Session = { ...session, current: false, browser: null, system: null, method: text(provider) };
  const chrome: Session = { ...other, browser: text('Chrome 126'), method: 'passkey' };
  return {
    sessions: { ...base, view: 'sessions', sessions: [session, chrome, other] },
    'sessions-one': { ...base, view: 'sessions', sessions: [session] },
    'sessions-many': { ...base, view: 'sessions', sessions: [session, ...Array.from({ length: 39 }, () => chrome)] },
    'connections-none': { ...base, view: 'connections', connections: [], onward: undefined },
    ...connectionsOf(text),
  };
}

function passkeysOf(text: SampleText): Samples {
  const passkey = { ref: text('c2a1b5d2a1f09c3e'), name: text('iCloud Keychain'), created_at: AT };
  const passkeys: AccountPage = {
    ...baseOf(text),
    view: 'passkeys',
    passkeys: [
      { ...passkey, last_used_at: AT, backed_up: true },
      { ...passkey, ref: text('d2a1b5d2a1f09c3e'), name: text('Security key'), last_used_at: null, backed_up: false },
    ],
    renaming: undefined,
  };
  return {
    passkeys,
    'passkeys-none': { ...passkeys, passkeys: [] },
    'passkeys-added': { ...passkeys, done: 'passkeyAdded' },
    'passkeys-last': { ...passkeys, refusal: { field: undefined, code: 'LAST_WAY_IN' } },
    'passkeys-refused': {
      ...passkeys,
      renaming: { ref: text('c2a1b5d2a1f09c3e'), name: text('a') },
      refusal: { field: 'name', code: 'FIELD_INVALID' },
    },
  };
}

function tokensOf(text: SampleText): Samples {
  const token = {
    id: 7,
    name: text('Backups'),
    token_prefix: text('tok_1a2b3c4d'),
    scope: text('read-only'),
    allowed_apps: [text('drive')],
    apps: [text('Drive')],
    created_at: AT,
    last_used_at: null,
    expires_at: AT,
  };
  const tokens: AccountPage = {
    ...baseOf(text),
    view: 'tokens',
    tokens: [token, { ...token, scope: text('write'), last_used_at: AT, expires_at: null }],
    scopes: ['read-only', 'write', 'admin'],
    apps: [
      { key: text('drive'), name: text('Drive') },
      { key: text('wiki'), name: text('Wiki of the team') },
    ],
    values: { name: '', scope: 'read-only', expiresDays: '', allowed_apps: [] },
    created: undefined,
  };
  const values = {
    name: text('Backups'),
    scope: text('write'),
    expiresDays: text('5000'),
    allowed_apps: [text('wiki')],
  };
  return {
    tokens,
    'tokens-none': { ...tokens, tokens: [], apps: [] },
    'tokens-created': {
      ...tokens,
      done: 'tokenCreated',
      created: { name: text('Backups'), token: text(`tok_${'1a2b3c4d'.repeat(8)}`) },
    },
    'tokens-refused': { ...tokens, values, refusal: { field: 'expiresDays', code: 'EXPIRES_DAYS_INVALID' } },
    'tokens-nameless': { ...tokens, refusal: { field: 'name', code: 'MISSING_REQUIRED_FIELD' } },
    'tokens-appless': { ...tokens, values, refusal: { field: 'allowed_apps', code: 'TOKEN_APPS_NOT_ALLOWED' } },
    'tokens-scopeless': { ...tokens, values, refusal: { field: 'scope', code: 'TOKEN_SCOPE_INVALID' } },
  };
}

function grantsOf(text: SampleText): Samples {
  const grant = {
    ref: text('c2a1b5d2a1f09c3e'),
    kind: 'session' as const,
    app: { key: text('wiki'), name: text('Wiki') },
    scopes: [text('openid'), text('profile'), text('email')],
    created_at: AT,
    last_used_at: AT,
  };
  const grants: Extract<AccountPage, { view: 'grants' }> = {
    ...baseOf(text),
    view: 'grants',
    grants: [
      grant,
      { ...grant, kind: 'consent', app: { key: text('git'), name: text('Git') }, scopes: [text('openid')] },
    ],
  };
  return {
    grants,
    'grants-none': { ...grants, grants: [] },
    'grants-withdrawn': { ...grants, done: 'grantWithdrawn' },
  };
}

/** The outlines of a QR code. It contains no data, because a sample is never scanned. */
const QR =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M1 1h3v3H1zM5 1h3v3H5zM1 5h3v3H1zM6 6h1v1H6z"/></svg>';

function twoStepOf(text: SampleText): Samples {
  const trust = { ref: text('c2a1b5d2a1f09c3e'), browser: text('Firefox 128'), system: text('Linux'), created_at: AT };
  const on: Extract<AccountPage, { view: 'two-step' }> = {
    ...baseOf(text),
    view: 'two-step',
    isOn: true,
    codesLeft: 10,
    mayTurnOff: true,
    draft: undefined,
    recoveryCodes: undefined,
    trusts: [
      { ...trust, expires_at: AT, current: true },
      { ...trust, browser: null, system: null, expires_at: AT, current: false },
    ],
  };
  const draft = {
    secret: text('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'),
    otpauth_url: text('otpauth://totp/Harbour:ada?secret=JBSWY3DPEHPK3PXP'),
    qr_svg: text(QR),
    expires_at: AT,
  };
  const off: AccountPage = { ...on, isOn: false, codesLeft: 0, trusts: [] };
  const recoveryCodes = Array.from({ length: 10 }, () => text('ABCDE-23456'));
  return {
    'two-step': on,
    'two-step-off': off,
    'two-step-required': { ...on, mayTurnOff: false },
    'two-step-turned-off': { ...off, done: 'factorOff' },
    'two-step-draft': { ...off, draft },
    'two-step-replacing': { ...on, draft },
    'two-step-refused': { ...off, draft, refusal: { field: 'token', code: 'TOTP_CODE_INCORRECT' } },
    'two-step-on': { ...on, trusts: [], recoveryCodes, done: 'factorOn' },
    'two-step-codes': { ...on, recoveryCodes, done: 'codesReplaced' },
    'two-step-few-codes': { ...on, codesLeft: 3, trusts: [] },
    'two-step-last-code': { ...on, codesLeft: 1, trusts: [{ ...trust, expires_at: AT, current: false }] },
  };
}

export const samples = (text: SampleText, language: Language = 'en'): Samples => ({
  ...profileOf(text),
  ...passwordOf(text),
  ...passkeysOf(text),
  ...twoStepOf(text),
  ...tokensOf(text),
  ...grantsOf(text),
  ...lists(text),
  ...activityOf(text, language),
});
