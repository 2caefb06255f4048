import type { Application } from '../applications/application.ts';
import { mayUseApplication } from '../applications/may-use-application.ts';
import type { Handle } from '../db/handle.ts';
import { CLOCK_TOLERANCE_MS, SECOND_MS } from '../lib/clock.ts';
import { acrOf, parseScopes } from './grant.ts';
import { consentOf } from './queries.ts';
import type { Progress, Visitor } from './visit.ts';

/**
 * What the user must do before the application gets its answer. `done` means that the user need not do anything more.
 */
export type Step = 'sign-in' | 'second-step' | 'choose' | 'refused' | 'consent' | 'done';

/** What an authorization request requires of the user. */
export interface Asked {
  prompts: readonly string[];
  /** In seconds. */
  maxAge: number | undefined;
  acr: readonly string[];
  /** The subject of the ID token in `id_token_hint`; undefined if there is none. */
  hintedSub: string | undefined;
  scopes: readonly string[];
}

interface Question {
  asked: Asked;
  application: Application;
  visitor: Visitor | undefined;
  progress: Progress | undefined;
  now: number;
}

/**
 * Returns whether the user must sign in again. That is so if the sign-in is too old for the request, or if its time
 * is in the future, so that its age is unknown.
 */
function needsNewSignIn({ asked, progress, now }: Question, { authenticatedAt }: Visitor): boolean {
  const isKnown = authenticatedAt <= now + CLOCK_TOLERANCE_MS;
  if (isKnown && progress && authenticatedAt > progress.startedAt) return false;
  const { prompts, maxAge } = asked;
  if (prompts.includes('login') || maxAge === 0) return true;
  return maxAge !== undefined && (!isKnown || now - authenticatedAt > maxAge * SECOND_MS);
}

function needsChoice({ asked, progress }: Question, { user }: Visitor): boolean {
  if (progress?.hasChosen) return false;
  return asked.prompts.includes('select_account') || (asked.hintedSub !== undefined && asked.hintedSub !== user.sub);
}

/** Returns whether the request prefers a sign-in with two factors, and the user can still provide the second one. */
const needsSecondStep = ({ asked }: Question, { amr, hasSecondFactor }: Visitor): boolean =>
  asked.acr[0] === 'aal2' && acrOf(amr) !== 'aal2' && hasSecondFactor;

async function needsConsent(
  handle: Handle,
  { asked, application, progress }: Question,
  { user }: Visitor,
): Promise<boolean> {
  if (!application.isThirdParty || progress?.agreedBy === user.id) return false;
  if (asked.prompts.includes('consent')) return true;
  const consent = await consentOf.first(handle, { userId: user.id, applicationId: application.id });
  const agreed = parseScopes(consent?.scopes ?? '');
  return !consent || asked.scopes.some((scope) => !agreed.includes(scope));
}

/**
 * Decides what the user must do next before the application gets its answer.
 *
 * @see OpenID Connect Core 1.0 §3.1.2.3, §3.1.2.4
 */
export async function nextStep(handle: Handle, question: Question): Promise<Step> {
  const { visitor, application } = question;
  if (!visitor || needsNewSignIn(question, visitor)) return 'sign-in';
  if (needsChoice(question, visitor)) return 'choose';
  if (!mayUseApplication(visitor.user, application)) return 'refused';
  if (needsSecondStep(question, visitor)) return 'second-step';
  return (await needsConsent(handle, question, visitor)) ? 'consent' : 'done';
}

const word = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads what a request requires of the user from its parameters. The library has already checked their format. */
export function askedOf(
  params: Readonly<Record<string, unknown>>,
  subOfHint: (token: string) => string | undefined,
): Asked {
  const { prompt, max_age: maxAge, acr_values: acr, id_token_hint: hint, scope } = params;
  const seconds = maxAge === undefined || maxAge === '' ? undefined : Number(maxAge);
  return {
    prompts: parseScopes(word(prompt)),
    maxAge: seconds !== undefined && Number.isFinite(seconds) ? seconds : undefined,
    acr: parseScopes(word(acr)),
    hintedSub: word(hint) === '' ? undefined : subOfHint(word(hint)),
    scopes: parseScopes(word(scope)),
  };
}
