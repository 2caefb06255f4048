import type { AppError } from '../errors/app-error.ts';
import type { ErrorName } from '../errors/registry.ts';

/** Why a form was refused, as its page shows it. */
export interface Refusal {
  code: ErrorName;
  /** When the form can be sent again; undefined: at once. */
  waitSeconds?: number | undefined;
}

/** What a page shows of an error. */
export const refusalOf = ({ code, parameters }: AppError): Refusal => ({
  code,
  waitSeconds: parameters.retryAfterSeconds,
});
