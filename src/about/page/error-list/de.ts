import type { en } from './en.ts';

/** German texts of the list of error codes. */
export const de: typeof en = {
  title: 'Fehlercodes',
  lede: 'Alle Fehler, die dieser Dienst meldet, was sie bedeuten und was zu tun ist.',
  search: 'Name, Nummer, Wort',
  searchLabel: 'Fehlercodes durchsuchen',
  categories: 'Kategorien',
  categoryNames: {
    Authentication: 'Anmeldung',
    'Two-factor authentication': 'Zwei-Faktor-Anmeldung',
    'Session management': 'Sitzungen',
    Authorization: 'Berechtigungen',
    'Input validation': 'Prüfung der Eingaben',
    'Rate limiting': 'Begrenzung der Anfragen',
    Server: 'Server',
    OAuth: 'Anmeldung über Anbieter (OAuth)',
  },
  status: (status) => `HTTP ${status}`,
  onPages: 'Auf Deutsch:',
  none: 'Kein passender Fehlercode.',
  browser: {
    found: '{count} von {total} Codes',
  },
};
