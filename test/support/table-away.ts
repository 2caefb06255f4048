import type { Schema } from '../../src/db/schema.ts';
import type { TestApp } from './start-app.ts';

/** Renames a table while `work` runs, so that every query of its rows fails. */
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

/** Renames the table of sessions while `work` runs. */
export const whileSessionsAreAway = (app: TestApp, work: () => Promise<unknown>): Promise<void> =>
  whileAway(app, 'sessions', work);
