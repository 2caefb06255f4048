import { defineListQuery } from '../db/query.ts';
import { selectActiveSessions } from '../sessions/queries.ts';

interface Question {
  ids: readonly string[];
  applicationId: number;
  now: number;
}

/** Reads active sessions, and with each the current version of an application; null if the application is removed. */
export const sessionsAndApplicationVersion = defineListQuery('appSessions.sessions', 'ids', (db, question: Question) =>
  selectActiveSessions(db, question).select(({ selectFrom }) =>
    selectFrom('applications')
      .select('version')
      .where('applications.id', '=', question.applicationId)
      .as('application_version'),
  ),
);
