import type { Parse } from './parse.ts';

/** One setting: how its text is read, and what the documentation says about it. */
export interface Row<T> {
  parse: Parse<T>;
  /** The text that stands for the value when none is given. */
  default?: string;
  /** The default instead when IS_DEPLOYED is true. */
  deployedDefault?: string;
  /** The default in words, where it is no fixed text. */
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
