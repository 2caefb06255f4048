// Types that compare what a handler returns with the replies that its route declares.
import type { Static, TSchema } from 'typebox';
import type { Answer, StatusReply } from './reply.ts';

/** The replies of a route: the schema for each status. */
export type Replies = Readonly<Record<number, TSchema>>;

type Plain = string | number | bigint | boolean | symbol | null | undefined;
type RedirectStatus = 302 | 303;

/** The read-only form of a type. No code changes a reply any more, so its lists may be read-only. */
type Fixed<T> = T extends Answer | Plain
  ? T
  : T extends readonly (infer Element)[]
    ? readonly Fixed<Element>[]
    : T extends object
      ? { readonly [Key in keyof T]: Fixed<T[Key]> }
      : T;

type ValueAt<R extends Replies, Status extends number> = R extends { readonly [S in Status]: infer S extends TSchema }
  ? Fixed<Static<S>>
  : never;

/**
 * What a handler may return: the value that is declared for 200, a declared status with its value, or a declared
 * redirect.
 */
export type Returned<R extends Replies> =
  | ValueAt<R, 200>
  | { [S in Exclude<keyof R & number, RedirectStatus>]: StatusReply<S, Fixed<Static<R[S]>>> }[Exclude<
      keyof R & number,
      RedirectStatus
    >]
  | ValueAt<R, 302>
  | ValueAt<R, 303>;

type ObjectIn<T> = T extends Answer | Plain | readonly unknown[] ? never : T;
type ElementIn<T> = T extends readonly (infer Element)[] ? Element : never;
type KeyIn<T> = T extends unknown ? keyof T : never;
type FieldIn<T, Key> = T extends unknown ? (Key extends keyof T ? T[Key] : never) : never;
type ValueWith<T, Status> = T extends StatusReply<infer S, infer Value> ? (Status extends S ? Value : never) : never;

type UndeclaredIn<Given, Key, Objects> =
  Key extends KeyIn<Objects>
    ? Undeclared<Given, FieldIn<Objects, Key>>
    : string extends KeyIn<Objects>
      ? Undeclared<Given, FieldIn<Objects, string>>
      : Key;

/**
 * The names of the fields that `Given` has and `Declared` does not have, at any depth. The type is `never` if there
 * are none.
 *
 * TypeScript itself finds missing and wrong fields, but a function may return more fields than its return type has.
 */
type Undeclared<Given, Declared> = Given extends Plain
  ? never
  : Given extends StatusReply<infer Status, infer Value>
    ? Undeclared<Value, ValueWith<Declared, Status>>
    : Given extends Answer
      ? never
      : Given extends readonly (infer Element)[]
        ? Undeclared<Element, ElementIn<Declared>>
        : Given extends object
          ? { [Key in keyof Given]-?: UndeclaredIn<Given[Key], Key, ObjectIn<Declared>> }[keyof Given]
          : never;

type Verdict<Fields> = [Fields] extends [never] ? unknown : { handle: { undeclaredField: Fields } };

/**
 * Accepts a route whose handler returns only declared fields. Otherwise the compiler error names the undeclared
 * fields.
 */
export type DeclaredOnly<Given, R extends Replies> = Verdict<Undeclared<Given, Returned<R>>>;
