import type { Parse } from './parse.ts';

/** One setting: how its text is parsed, and its documentation. */
export interface Row<T> {
  parse: Parse<T>;
  /** The text that is parsed if none is given. */
  default?: string;
  /** The default instead when IS_DEPLOYED is true. */
  deployedDefault?: string;
  /** The description of the default, if it is not a fixed text. */
  defaultWords?: string;
  help: string;
  example: string;
  /** Never shown, neither in a message nor on a page. */
  secret?: true;
}

/** A setting that always has a value. */
export const row = <T>(made: Row<T> & { default: string }): Row<T> & { default: string } => made;

/** A setting whose value is undefined when none is given. */
export const optional = <T>(made: Row<T>): Row<T> & { optional: true } => ({ ...made, optional: true });
