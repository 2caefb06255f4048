import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface TestPage {
  userId: number;
  username: string;
  fullName: string;
  role: string;
  /** Absent if an API token signs in: there is no session to show or to end. */
  sessionId: string | undefined;
  /** ISO 8601, UTC. */
  expiresAt: string | undefined;
  csrfToken: string;
  image: string | undefined;
}

/** The page of the current session; its path is /authsvc/test. */
export const testPage = definePage({
  name: 'test',
  texts: { en, de },
  script: { ids: ['logout', 'submit', 'logout-dialog', 'form-error'], showsRefusals: true },
  samples,
});
