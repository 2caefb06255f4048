import type { ErrorName } from '../../../errors/registry.ts';
import type { ErrorText } from '../../texts/errors-en.ts';
import type { Texts } from '../../texts/languages.ts';

/** The texts that the scripts of all pages share, in the language of the page. */
export const texts: Texts['browser'] = JSON.parse(document.body.dataset.texts ?? '{}');

/** Returns the shared texts together with those of the page's own script: `pageTexts<typeof en>()`. */
export function pageTexts<Own extends { browser: object }>(): Texts['browser'] & Own['browser'] {
  return JSON.parse(document.body.dataset.texts ?? '{}');
}

declare global {
  interface Window {
    /** The texts of errors in the language of the page. A separate script sets them before the script of the page runs. */
    errorTexts?: Readonly<Record<string, ErrorText>>;
  }
}

/** Returns the texts of an error in the language of the page; undefined for an error that pages do not expect. */
export const textsOfError = (code: string): ErrorText | undefined => window.errorTexts?.[code];

/** Returns the message of an error that the script finds by itself, without a request to the service. */
export const messageOf = (code: ErrorName): string => textsOfError(code)?.message ?? texts.unexpected;

/** Inserts values into a text: fill('in {time}', { time: '5 s' }) is 'in 5 s'. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
