import { AppError } from '../errors/app-error.ts';
import type { Settings } from '../settings/table.ts';

interface Attempt {
  provider: string;
  /** Where the browser goes after the sign-in. The target has been checked. */
  redirect: string;
  /** The ref of the session whose user links an account; undefined if the attempt is a sign-in. */
  linkFor?: string;
}

/** Returns the path of the sign-in page, with the target for after the sign-in. */
export const signInPath = (redirect: string, { LOGIN_REDIRECT_URL }: Settings): string =>
  redirect === LOGIN_REDIRECT_URL ? '/authsvc/login' : `/authsvc/login?redirect=${encodeURIComponent(redirect)}`;

/**
 * Adds a link to the error of a failed attempt: to the sign-in page, where the person can choose another method, or back
 * to the target if the attempt was to link an account.
 */
export function leadBack(error: unknown, { provider, redirect, linkFor }: Attempt, settings: Settings): AppError {
  const goOn =
    linkFor === undefined
      ? ({ path: signInPath(redirect, settings), words: 'signIn' } as const)
      : ({ path: redirect, words: 'continue' } as const);
  if (!(error instanceof AppError)) return new AppError('LOGIN_FAILED', { cause: error, goOn, provider });
  return new AppError(error.code, { ...error.parameters, goOn, provider });
}
