import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  title: {
    pending: 'Programm anmelden?',
    approved: 'Diese Anfrage ist genehmigt',
    denied: 'Diese Anfrage ist abgelehnt',
    completed: 'Dieses Programm ist angemeldet',
    expired: 'Dieser Code ist abgelaufen',
  },
  lede: {
    approved: 'Sie haben nichts mehr zu tun: Die Genehmigung liegt vor, und das Programm wird gleich angemeldet.',
    denied: 'Die Ablehnung ist endgültig. Beginnen Sie im Programm neu, um es doch anzumelden.',
    completed: 'Die Anfrage wurde genehmigt. Es ist nichts mehr zu tun.',
    expired: 'Ein Code gilt 15 Minuten. Beginnen Sie im Programm neu, um einen neuen zu bekommen.',
  },
  code: 'Code',
  again: 'Anderen Code eingeben',
  start: 'Zur Startseite',
  warning:
    'Genehmigen Sie nur, was Sie gerade selbst begonnen haben, und nur, wenn das Programm genau diesen Code anzeigt.',
  warningMore:
    'Hat Ihnen jemand anderes den Link oder den Code geschickt, lehnen Sie ab: Sonst erhält er Zugriff auf Ihr Konto.',
  as: 'Konto',
  notYou: 'Konto wechseln',
  program: 'Programm',
  profile: 'Profil',
  scope: 'Zugriff',
  scopes: { 'read-only': 'Nur lesen', write: 'Lesen und ändern' },
  apps: 'Anwendungen',
  noApps: 'Keine Anwendung, die Sie benutzen dürfen',
  life: 'Gültig für',
  days: (days) => (days === 1 ? '1 Tag' : `${days} Tage`),
  address: 'IP-Adresse',
  time: 'Angefragt',
  approve: 'Genehmigen',
  deny: 'Ablehnen',
  approvedTitle: 'Genehmigt',
  approvedNow: (client) => `${client} wird angemeldet. Sie können diese Seite schließen und zum Programm zurückkehren.`,
  deniedTitle: 'Abgelehnt',
  deniedNow: (client) => `${client} erhält keinen Zugriff. Sie können diese Seite schließen.`,
  noScript: 'Das Genehmigen braucht JavaScript. Schalten Sie es für diese Website ein und laden Sie die Seite neu.',
};
