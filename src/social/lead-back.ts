import { AppError } from '../errors/app-error.ts';
import type { Settings } from '../settings/table.ts';

interface Attempt {
  provider: string;
  /** The final destination; already checked. */
  redirect: string;
  /** Set where an account is linked: the user is signed in. */
  linkFor?: string;
}

/** The sign-in page, which then knows where the visitor wants to go. */
export const signInPath = (redirect: string, { LOGIN_REDIRECT_URL }: Settings): string =>
  redirect === LOGIN_REDIRECT_URL ? '/authsvc/login' : `/authsvc/login?redirect=${encodeURIComponent(redirect)}`;

/** The answer to a failed attempt: its page links to the sign-in page, which offers other methods. */
export function leadBack(error: unknown, { provider, redirect, linkFor }: Attempt, settings: Settings): AppError {
  const goOn =
    linkFor === undefined
      ? ({ path: signInPath(redirect, settings), words: 'signIn' } as const)
      : ({ path: redirect, words: 'continue' } as const);
  if (!(error instanceof AppError)) return new AppError('LOGIN_FAILED', { cause: error, goOn, provider });
  return new AppError(error.code, { ...error.parameters, goOn, provider });
}
