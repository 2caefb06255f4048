interface Words {
  title: string;
  signedInAs: (name: string) => string;
  reasons: { APP_NOT_ALLOWED: string; ROLE_NOT_ALLOWED: string };
  another: string;
}

const en: Words = {
  title: 'No access',
  signedInAs: (name) => `You are signed in as ${name}.`,
  reasons: {
    APP_NOT_ALLOWED: 'This account may not use this application.',
    ROLE_NOT_ALLOWED: 'The role of this account does not allow this.',
  },
  another: 'Use another account',
};

const de: Words = {
  title: 'Kein Zugang',
  signedInAs: (name) => `Sie sind als ${name} angemeldet.`,
  reasons: {
    APP_NOT_ALLOWED: 'Dieses Konto darf die Anwendung nicht benutzen.',
    ROLE_NOT_ALLOWED: 'Die Rolle dieses Kontos erlaubt das nicht.',
  },
  another: 'Anderes Konto verwenden',
};

/** The reason why a signed-in person may not see a page. */
export type NoAccess = keyof Words['reasons'];

/** Returns the language that the browser prefers among those of the page; English if it names neither. @see RFC 9110 §12.5.4 */
function languageOf(accepted: string): 'en' | 'de' {
  const asked = accepted.split(',').flatMap((entry) => {
    const [, tag = '', weight = '1'] = /^\s*(en|de)\b[^;]*(?:;\s*q=([\d.]+))?/i.exec(entry) ?? [];
    return tag === '' ? [] : [{ tag: tag.toLowerCase(), weight: Number(weight) }];
  });
  const [first] = asked.sort((a, b) => b.weight - a.weight);
  return first?.tag === 'de' ? 'de' : 'en';
}

const escapeText = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

interface Facts {
  reason: NoAccess;
  username: string;
  /** URL of the page where the person chooses another account. */
  accountsUrl: string;
  /** Value of the `Accept-Language` header. */
  accepted: string;
}

/**
 * Returns the HTML page for a signed-in person without access. It names the account, and links to the page where the person
 * chooses another one. The page loads no further files.
 */
export function noAccessPage({ reason, username, accountsUrl, accepted }: Facts): string {
  const language = languageOf(accepted);
  const t = language === 'de' ? de : en;
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${t.title}</title>
<style>body{max-width:30rem;margin:15vh auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}</style>
<main>
<h1>${t.title}</h1>
<p>${t.signedInAs(`<bdi>${escapeText(username)}</bdi>`)} ${t.reasons[reason]}</p>
<p><a href="${escapeText(accountsUrl)}">${t.another}</a></p>
</main>
</html>
`;
}
