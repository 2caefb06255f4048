// Who sends a request to an application: `import { createAuth } from 'authsvc-client'`.
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

/** A later question joins an equal one that began this long ago at most, so that its answer is not much older than it. */
const JOIN_MS = 500;

/** What an application asks. */
export interface Auth {
  /** Public origin of the application, if `createAuth` was told one. */
  readonly url: string | undefined;
  /** Other origins whose pages may send changes. */
  readonly origins: readonly string[];
  /**
   * Finds who sent a request.
   *
   * @param from headers of the request, or the request
   * @param options `tokens`: an API token in `Authorization` counts too, and then alone
   * @returns undefined: no one is signed in
   * @throws AuthUnavailable, which never means "signed out"; AuthRefused
   */
  visitor(from: HeaderSource, options?: { tokens?: boolean | undefined }): Promise<Visitor | undefined>;
  /** Address of the login page. @param back whole URL of the application to return to */
  loginUrl(back?: string): string;
  /** Address of the page with the accounts of the browser. @param back whole URL of the application to return to */
  accountsUrl(back?: string): string;
  /** Address of the page that signs out. @param back whole URL of the application to return to */
  logoutUrl(back?: string): string;
  /** Ends the stream of changes, which keeps a Node.js process running. Questions are still answered, each by the service. */
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
 * Connects an application with the service. Nothing is sent before the first question.
 *
 * @throws TypeError if an option is wrong
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

  /** Asks, or joins an equal question that goes on, unless something has changed since. */
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
