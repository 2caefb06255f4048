import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** The data of the page, for its template. */
export interface TestPage {
  userId: number;
  username: string;
  fullName: string;
  role: string;
  /** Undefined if an API token authenticates the request: then there is no session to show or to end. */
  sessionId: string | undefined;
  /** End of the session, ISO 8601, UTC. Undefined if there is no session. */
  expiresAt: string | undefined;
  csrfToken: string;
  image: string | undefined;
}

/** The page that shows the current session, at /authsvc/test. */
export const testPage = definePage({
  name: 'test',
  texts: { en, de },
  script: { ids: ['logout', 'submit', 'logout-dialog', 'form-error'], showsRefusals: true },
  samples,
});
