import type { AppError } from '../errors/app-error.ts';
import type { ErrorName } from '../errors/registry.ts';

/** Why a form was refused, for its page. */
export interface Refusal {
  code: ErrorName;
  /** After how many seconds the form can be sent again; undefined means at once. */
  waitSeconds?: number | undefined;
}

/** Returns the part of an error that a page shows. */
export const refusalOf = ({ code, parameters }: AppError): Refusal => ({
  code,
  waitSeconds: parameters.retryAfterSeconds,
});
