import type { TestApp } from './start-app.ts';

/** Does something while the table of the sessions is away, so that what asks for a session fails. */
export async function whileSessionsAreAway({ services }: TestApp, work: () => Promise<unknown>): Promise<void> {
  const { schema } = services.database.kysely;
  await schema.alterTable('sessions').renameTo('sessions_away').execute();
  await work();
  await schema.alterTable('sessions_away').renameTo('sessions').execute();
}
