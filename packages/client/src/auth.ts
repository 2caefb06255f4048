// Finds the signed-in user of a request to an application: `import { createAuth } from 'authsvc-client'`.
import { Answers } from './answers.ts';
import { ChangeStream } from './changes.ts';
import { type Credentials, credentialsOf, type HeaderSource } from './credentials.ts';
import { digest } from './digest.ts';
import { type AuthOptions, readOptions } from './options.ts';
import { askVisitor, openStream } from './questions.ts';
import { copyOf, type Found, type Visitor } from './visitor.ts';

export { AuthRefused, AuthUnavailable } from './auth-errors.ts';
export type { HeaderSource } from './credentials.ts';
export type { AuthOptions } from './options.ts';
export type { Visitor } from './visitor.ts';

/**
 * A check shares the pending request of an equal check if that request started at most this long ago. The limit keeps the
 * result fresh: it is never much older than the check.
 */
const JOIN_MS = 500;

/** Checks visitors for one application, and builds the URLs of authsvc pages. */
export interface Auth {
  /** The option `url` of `createAuth`: public origin of the application. */
  readonly url: string | undefined;
  /** Further origins whose pages may send requests that change something. */
  readonly origins: readonly string[];
  /**
   * Finds the user who sent a request.
   *
   * @param from headers of the request, or the request itself
   * @param options `tokens`: accepts an API token in `Authorization`. If there is one, the session cookie is ignored
   * @returns undefined if no one is signed in
   * @throws AuthUnavailable, AuthRefused
   */
  visitor(from: HeaderSource, options?: { tokens?: boolean | undefined }): Promise<Visitor | undefined>;
  /** Returns the URL of the login page. @param back absolute URL of the application to return to */
  loginUrl(back?: string): string;
  /** Returns the URL of the page that lists the browser's accounts. */
  accountsUrl(back?: string): string;
  /** Returns the URL of the sign-out page. */
  logoutUrl(back?: string): string;
  /** Closes the stream of changes, so that Node.js can exit. Each later `visitor` call sends a request to authsvc. */
  close(): void;
}

interface Flight {
  answer: Promise<Found | undefined>;
  begunAt: number;
  count: number;
}

const addressOf = (page: string, back: string | undefined): string =>
  back === undefined ? page : `${page}?redirect=${encodeURIComponent(back.replace(/\p{Surrogate}/gu, '\ufffd'))}`;

/**
 * Creates the client of an application. Sends nothing until the first call of `visitor`.
 *
 * @throws TypeError if an option is invalid
 */
export function createAuth(given: AuthOptions): Auth {
  const options = readOptions(given);
  const { server, url, origins, secret, timeoutMs } = options;
  const answers = new Answers(options.maxAnswers);
  const flights = new Map<string, Flight>();
  const stream = new ChangeStream({
    open: (signal) => openStream(options, signal),
    timeoutMs,
    on: {
      ended: (refs) => {
        for (const ref of refs) answers.dropRef(ref);
      },
      user: (userId) => answers.dropUser(userId),
      lost: () => answers.dropAll(),
    },
  });

  /**
   * Sends a request to authsvc, or shares the pending request of an equal check. Does not share it if a change arrived
   * after that request started, because its reply may be out of date.
   */
  function ask(key: string, headers: Credentials['headers']): Promise<Found | undefined> {
    const { count } = stream;
    const going = flights.get(key);
    if (going && going.count === count && performance.now() - going.begunAt < JOIN_MS) return going.answer;
    const answer = askVisitor(options, headers).finally(() => {
      if (flights.get(key) === flight) flights.delete(key);
    });
    const flight = { answer, begunAt: performance.now(), count };
    flights.set(key, flight);
    return answer;
  }

  return {
    url,
    origins,
    async visitor(from, { tokens = false } = {}) {
      const credentials = credentialsOf(from, tokens);
      if (!credentials) return undefined;
      const key = digest(credentials.key);
      const isAlive = secret !== undefined && stream.ask();
      const kept = isAlive ? answers.find(key) : undefined;
      if (kept) return copyOf(kept);
      const { count } = stream;
      const found = await ask(key, credentials.headers);
      if (found && isAlive && stream.isAlive() && stream.count === count) answers.keep(key, found);
      return found && copyOf(found.visitor);
    },
    loginUrl: (back) => addressOf(`${server}/authsvc/login`, back),
    accountsUrl: (back) => addressOf(`${server}/authsvc/accounts`, back),
    logoutUrl: (back) => addressOf(`${server}/authsvc/logout`, back),
    close: () => stream.close(),
  };
}
