import type { en } from './en.ts';

/** German texts of the page that approves a device login. */
export const de: typeof en = {
  question: ['Anmeldung von', 'erlauben?'],
  quoted: (name) => `„${name}“`,
  questionTitle: 'Anmeldung eines Programms erlauben?',
  as: 'Das Programm erhält Zugriff auf dieses Konto:',
  switchAccount: 'Konto wechseln',
  compare: 'Vergleichen Sie diesen Code mit dem Code, den das Programm anzeigt:',
  grants: {
    'read-only': (days) => `Das Programm kann Ihre Daten ${days} lang lesen.`,
    write: (days) => `Das Programm kann Ihre Daten ${days} lang lesen und ändern.`,
  },
  warning:
    'Hat Ihnen jemand diesen Link oder Code geschickt? Dann wählen Sie „Ablehnen“. Sonst erhält diese Person Zugriff auf Ihr Konto.',
  approve: 'Erlauben',
  deny: 'Ablehnen',
  details: 'Details',
  program: 'Programm',
  profile: 'Profil',
  apps: 'Anwendungen',
  noApps: 'Keine, die Sie nutzen dürfen',
  validFor: 'Gültig für',
  days: (days) => (days === 1 ? '1 Tag' : `${days} Tage`),
  address: 'IP-Adresse',
  requested: 'Angefragt',
  start: 'Zur Startseite',
  again: 'Anderen Code eingeben',
  approvedTitle: 'Erlaubt',
  approvedNow: (client) => `${client} wird angemeldet. Sie können diese Seite schließen und zum Programm zurückkehren.`,
  deniedTitle: 'Abgelehnt',
  deniedNow: (client) => `${client} erhält keinen Zugriff. Sie können diese Seite schließen.`,
  title: {
    approved: 'Diese Anfrage wurde erlaubt',
    denied: 'Diese Anfrage wurde abgelehnt',
    completed: 'Das Programm ist angemeldet',
    expired: 'Dieser Code ist nicht mehr gültig',
  },
  lede: {
    approved: 'Das Programm wird angemeldet. Sie können diese Seite schließen.',
    denied: 'Das Programm hat keinen Zugriff erhalten. Um es doch anzumelden, beginnen Sie im Programm neu.',
    completed: 'Sie können diese Seite schließen.',
    expired: 'Ein Code ist höchstens 15 Minuten gültig. Beginnen Sie im Programm neu, um einen neuen zu erhalten.',
  },
};
