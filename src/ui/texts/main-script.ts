/** What /authsvc/main.js says. It is loaded by the pages of applications, so it carries its own few texts along. */
export interface MainScriptTexts {
  question: string;
  failed: string;
  unreachable: string;
}

/** By language. */
export const mainScriptTexts: { en: MainScriptTexts; de: MainScriptTexts } = {
  en: {
    question: 'Do you want to sign out?',
    failed: 'Logging out did not work. Try again.',
    unreachable: 'The service cannot be reached, so you are still signed in. Check your connection, then try again.',
  },
  de: {
    question: 'Möchten Sie sich abmelden?',
    failed: 'Das Abmelden ist fehlgeschlagen. Versuchen Sie es noch einmal.',
    unreachable:
      'Der Dienst ist nicht erreichbar, Sie sind weiterhin angemeldet. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
  },
};
