import type { Texts } from '../../texts/languages.ts';

/** The texts that the scripts of all pages share, in the language of the page. */
export const texts: Texts['browser'] = JSON.parse(document.body.dataset.texts ?? '{}');

/** The shared texts and those of the page's own script: `pageTexts<typeof en>()`. */
export function pageTexts<Own extends { browser: object }>(): Texts['browser'] & Own['browser'] {
  return JSON.parse(document.body.dataset.texts ?? '{}');
}

const errors: Record<string, { message: string; hint: string } | undefined> = JSON.parse(
  document.body.dataset.errors ?? '{}',
);

/** The words for a refusal in the language of the page, where it has its own. */
export function textsOfError(code: string): { message: string; hint: string } | undefined {
  return errors[code];
}

/** Puts values into a text: fill('in {time}', { time: '5 s' }) is 'in 5 s'. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
