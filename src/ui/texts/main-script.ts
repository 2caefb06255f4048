/** The texts of /authsvc/main.js. Pages of applications load that script, so it contains only these few texts. */
export interface MainScriptTexts {
  question: string;
  failed: string;
  /** Shown if a program other than authsvc answers at the host of the page. */
  elsewhere: string;
  unreachable: string;
}

/** The texts by language. */
export const mainScriptTexts: { en: MainScriptTexts; de: MainScriptTexts } = {
  en: {
    question: 'Do you want to sign out?',
    failed: 'Signing out did not work. You are still signed in. Try again.',
    elsewhere:
      'You are still signed in. This page cannot sign you out, because the sign-in service has another address.',
    unreachable: 'The service cannot be reached, so you are still signed in. Check your connection, then try again.',
  },
  de: {
    question: 'Möchten Sie sich abmelden?',
    failed: 'Das Abmelden ist fehlgeschlagen. Sie sind weiterhin angemeldet. Versuchen Sie es noch einmal.',
    elsewhere:
      'Sie sind weiterhin angemeldet. Diese Seite kann Sie nicht abmelden, weil der Anmeldedienst eine andere Adresse hat.',
    unreachable:
      'Der Dienst ist nicht erreichbar, Sie sind weiterhin angemeldet. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
  },
};
