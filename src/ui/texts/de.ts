import type { Texts } from './languages.ts';

/** The texts that all pages share, in German. */
export const de: Texts = {
  layout: {
    madeBy: (version) => `authsvc ${version}`,
    help: 'Hilfe',
    noScript: 'Diese Seite braucht JavaScript. Schalten Sie es für diese Website ein und laden Sie die Seite neu.',
  },
  dialog: {
    cancel: 'Abbrechen',
  },
  confirmation: {
    title: 'Bestätigen Sie, dass Sie es sind',
    text: 'Bestätigen Sie Ihre Identität. Das gilt zehn Minuten lang in diesem Browser.',
    usePasskey: 'Ihren Passkey benutzen',
    or: 'oder',
    password: 'Ihr Passwort',
    code: 'Code',
    codeHint: 'Sechs Ziffern aus Ihrer Authenticator-App oder einer Ihrer Wiederherstellungscodes.',
    signInAgain: (provider) => `Neu anmelden über ${provider}`,
    providerHint: 'Das öffnet einen neuen Tab. Kommen Sie danach hierher zurück und fahren Sie fort.',
    noWay: 'Sie haben keinen Weg, das zu bestätigen. Bitten Sie Ihren Administrator um Hilfe.',
    submit: 'Weiter',
  },
  changes: {
    yes: 'Ja',
    no: 'Nein',
    question: 'Sind Sie sicher?',
    confirm: 'Weiter',
    once: 'Wird nur einmal gezeigt',
    onceDone: 'Ich habe es kopiert',
    copy: 'Kopieren',
    noScript:
      'Lesen geht ohne JavaScript. Änderungen brauchen es: Schalten Sie es für diese Website ein und laden Sie die Seite neu.',
    conflict: 'Inzwischen geändert',
    conflictText: 'Nichts wurde gespeichert. Seit Sie diese Seite geöffnet haben, hat sich das geändert:',
    reload: 'Seite neu laden',
  },
  console: {
    label: 'Verwaltung',
    hint: 'Benutzer, Anwendungen, Sitzungen und Protokoll',
    pages: {
      overview: 'Überblick',
      users: 'Benutzer',
      applications: 'Anwendungen',
      profiles: 'Profile',
      tokens: 'API-Token',
      sessions: 'Sitzungen',
      webhooks: 'Webhooks',
      audit: 'Protokoll',
    },
  },
  pagination: {
    label: 'Seiten',
    previous: 'Zurück',
    next: 'Weiter',
  },
  browser: {
    loggedOut: '{name} ist abgemeldet.',
    showPassword: 'Passwort anzeigen',
    hidePassword: 'Passwort verbergen',
    capsLock: 'Feststelltaste ist an',
    working: 'Einen Augenblick …',
    unreachable: 'Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    unexpected: 'Etwas ist schiefgegangen. Versuchen Sie es erneut.',
    noCookies:
      'Ihr Browser speichert für diese Website keine Cookies. Erlauben Sie Cookies und laden Sie die Seite neu.',
    tryAgain: 'Erneut versuchen',
    waitMessage: 'Sie können es in {time} erneut versuchen.',
    tryAgainNow: 'Sie können es jetzt erneut versuchen.',
    copied: 'Kopiert',
    notCopied: 'Kopieren nicht möglich',
    justNow: 'gerade eben',
    passkeyWaiting: 'Warten auf Ihren Passkey …',
    passkeyCancelled: 'Es wurde kein Passkey benutzt',
    passkeyFailed: 'Passkeys funktionieren in diesem Browser an dieser Adresse nicht',
  },
};
