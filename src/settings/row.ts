import type { Parse } from './parse.ts';

/** One setting: the parser of its text, and its documentation. */
export interface Row<T> {
  parse: Parse<T>;
  /** The text that is parsed if the operator gives none. */
  default?: string;
  /** The text that is parsed instead of `default` if IS_DEPLOYED is true. */
  deployedDefault?: string;
  /** The description of the default for the documentation, if the default is not a fixed text. */
  defaultWords?: string;
  help: string;
  example: string;
  /** Set if the value must never appear in a message or on a page. */
  secret?: true;
}

/** Declares a setting that always has a value. */
export const row = <T>(made: Row<T> & { default: string }): Row<T> & { default: string } => made;

/** Declares a setting whose value is undefined if the operator gives none. */
export const optional = <T>(made: Row<T>): Row<T> & { optional: true } => ({ ...made, optional: true });
