import { userInfo } from 'node:os';
import type { CommandServices } from '../command/context.ts';
import { openDataSealer, readDataSealer } from '../db/data-keys.ts';
import { openDatabase } from '../db/open.ts';
import { requireAnswer, requireFile } from '../db/reach.ts';
import { describeDatabaseFault } from '../db/reasons.ts';
import { lazyDataSealer } from '../delivery/data-sealer.ts';
import { createOutbox } from '../delivery/outbox.ts';
import { systemClock } from '../lib/clock.ts';
import { createPasswordHasher } from '../lib/password-hash.ts';
import { loadSettings } from '../settings/load.ts';
import { operatorName } from '../settings/person.ts';
import { publicUrl } from '../settings/public-url.ts';
import { existingSecrets, sessionSecrets } from '../settings/secrets.ts';
import { overflowWords } from '../webhooks/queue-deliveries.ts';
import { commandLog } from './command-log.ts';
import { createEventSink } from './event-sink.ts';
import { print, stopSignal } from './output.ts';
import { createPrompts } from './prompts.ts';

const warn = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

interface WithServices<T> {
  /** Whether to create the file of an SQLite database if it does not exist. */
  makesFile: boolean;
  /** The words of the command, such as `user set`. */
  command: string;
  isJson: boolean;
  work(services: CommandServices): Promise<T>;
}

/** Opens the services of a command, runs `work`, and closes the services again. */
export async function withServices<T>({ makesFile, command, isJson, work }: WithServices<T>): Promise<T> {
  const settings = loadSettings();
  const clock = systemClock;
  const outbox = createOutbox({ dataSealer: lazyDataSealer(() => existingSecrets(settings)), clock });
  const baseUrl = () => publicUrl(settings);
  const database = await openDatabase(settings.DATABASE_URL, {
    max: 2,
    isPatient: true,
    events: createEventSink({
      settings,
      outbox,
      clock,
      baseUrl,
      writeLine: commandLog(settings.LOG_LEVEL, isJson),
      onOverflow: (webhook) => warn(overflowWords(webhook)),
    }),
    onTrouble: (error, what) => warn(`${what}: ${describeDatabaseFault({ file: undefined }, error)}`),
  });
  try {
    if (!makesFile) requireFile(database);
    await requireAnswer(database);
    return await work({
      settings,
      database,
      clock: systemClock,
      passwords: createPasswordHasher(),
      outbox,
      actor: { type: 'operator', name: operatorName(() => userInfo().username), command },
      dataSealer: () => openDataSealer(database, sessionSecrets(settings), systemClock.now()),
      readDataSealer: () => readDataSealer(database, existingSecrets(settings)),
      ...createPrompts({ input: process.stdin, output: process.stderr }),
      print,
      stopSignal,
      warn,
    });
  } finally {
    await database.close();
  }
}
