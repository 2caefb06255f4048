import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/handle.ts';
import { usersByKeys } from '../users/queries.ts';
import { type ApplicationRecord, importApplication } from './import-application.ts';
import { type ImportParts, importTransaction, WrittenMeanwhile } from './import-parts.ts';
import { importProfile, type ProfileRecord } from './import-profile.ts';
import type { ImportRun, Origin, Outcome } from './import-run.ts';
import { importNewUsers } from './import-user.ts';
import { LineRefusal } from './line-refusal.ts';
import { updateImportedUser } from './update-user.ts';
import type { UserRecord } from './user-record.ts';

/**
 * Users per transaction. The number is small enough that no sign-in waits long, and large enough that commits cost
 * little.
 */
const PORTION = 100;
/** Pause between two transactions, in which sign-ins can get the write lock of SQLite. */
const PAUSE_MS = 10;
const MAX_ATTEMPTS = 5;

export type ImportRecord = UserRecord | ApplicationRecord | ProfileRecord;

/** A record and its place in the imported data. */
export interface Sourced<Item = ImportRecord> {
  origin: Origin;
  record: Item;
}

const kindOf = { user: 'users', application: 'applications', profile: 'profiles' } as const;

/** Writes records in their order. Writes several users in one transaction. */
export class RecordImporter {
  readonly #database: Database;
  readonly #run: ImportRun;
  readonly #parts: ImportParts;
  #users: Sourced<UserRecord>[] = [];

  constructor(database: Database, run: ImportRun, parts: ImportParts) {
    this.#database = database;
    this.#run = run;
    this.#parts = { ...parts, actor: { ...parts.actor, isImport: true } };
  }

  /** Adds a record. It may be written later, together with others. */
  async add({ origin, record }: Sourced): Promise<void> {
    const name = record.type === 'user' ? record.username.key : record.key;
    if (!this.#run.names.add(`${record.type} ${name}`)) {
      const field = record.type === 'user' ? 'username' : 'key';
      const message = `An earlier record has the same ${field}.`;
      this.#run.refuse(origin, new LineRefusal('DUPLICATE_IN_FILE', field, message));
    } else if (record.type === 'user') {
      this.#users.push({ origin, record });
      if (this.#users.length >= PORTION) await this.finish();
    } else {
      await this.finish();
      await this.#single(origin, record);
    }
  }

  /** Writes the records that still wait. */
  async finish(): Promise<void> {
    const users = this.#users;
    this.#users = [];
    if (users.length === 0) return;
    const existing = await this.#again(() => this.#addUsers(users));
    for (const { origin, record } of users) {
      if (!existing.has(record.username.key)) continue;
      if (this.#run.updates) await this.#update(origin, record);
      else this.#run.count('users', 'unchanged');
    }
    if (this.#database.kind === 'sqlite') await sleep(PAUSE_MS);
  }

  /** Runs `work` again if another import has written the same record in the meantime. */
  async #again<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof WrittenMeanwhile) || attempt >= MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Adds the users that do not exist yet, in one transaction. Returns the usernames that already exist. */
  async #addUsers(users: readonly Sourced<UserRecord>[]): Promise<Set<string>> {
    const { existing, added, refusals } = await importTransaction(this.#database, async (tx) => {
      const rows = await usersByKeys.all(tx, { keys: users.map(({ record }) => record.username.key) });
      const found = new Set(rows.map((row) => row.username_key));
      const missing = users.filter(({ record }) => !found.has(record.username.key));
      const records = missing.map(({ record }) => record);
      return { existing: found, added: missing, refusals: await importNewUsers(tx, this.#run, this.#parts, records) };
    });
    for (const { origin, record } of added) {
      const refusal = refusals.get(record);
      if (refusal) this.#run.refuse(origin, refusal);
      else this.#countNew(record);
    }
    return existing;
  }

  #countNew({ username, password, role, isActive, tokens }: UserRecord): void {
    this.#run.count('users', 'created', password?.scheme ?? 'none');
    this.#run.importedTokens += tokens.length;
    if (role !== 'superadmin' || isActive === false) return;
    this.#run.newSuperadmins.push(username.name);
    if (this.#run.isDry) this.#run.superadmins += 1;
  }

  #update(origin: Origin, record: UserRecord): Promise<void> {
    return this.#tell('users', origin, () =>
      importTransaction(this.#database, async (tx) => {
        const outcome = await updateImportedUser(tx, this.#run, this.#parts, record);
        if (outcome === undefined) throw new WrittenMeanwhile();
        return outcome;
      }),
    );
  }

  #single(origin: Origin, record: ApplicationRecord | ProfileRecord): Promise<void> {
    const [database, run, parts] = [this.#database, this.#run, this.#parts];
    return this.#tell(kindOf[record.type], origin, () =>
      record.type === 'profile'
        ? importProfile(database, run, parts, record)
        : importApplication(database, run, parts, record),
    );
  }

  async #tell(
    kind: 'users' | 'applications' | 'profiles',
    origin: Origin,
    work: () => Promise<Outcome>,
  ): Promise<void> {
    try {
      this.#run.count(kind, await this.#again(work));
    } catch (error) {
      if (!(error instanceof LineRefusal)) throw error;
      this.#run.refuse(origin, error);
    }
  }
}
