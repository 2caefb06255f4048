import type { Schema } from '../../src/db/schema.ts';
import type { TestApp } from './start-app.ts';

/** Does something while a table is away, so that what asks for its rows fails. */
export async function whileAway(
  { services }: TestApp,
  table: keyof Schema,
  work: () => Promise<unknown>,
): Promise<void> {
  const { schema } = services.database.kysely;
  await schema.alterTable(table).renameTo(`${table}_away`).execute();
  await work();
  await schema.alterTable(`${table}_away`).renameTo(table).execute();
}

/** The same for the table of the sessions. */
export const whileSessionsAreAway = (app: TestApp, work: () => Promise<unknown>): Promise<void> =>
  whileAway(app, 'sessions', work);
