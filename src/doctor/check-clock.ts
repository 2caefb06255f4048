import type { Database } from '../db/handle.ts';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import { type Finding, failure, fine, warning } from './finding.ts';
import { databaseTime, latestEvent } from './queries.ts';

const FAILED_MS = 30 * SECOND_MS;
const WARNED_MS = 5 * SECOND_MS;
const SET_CLOCK = 'Let the clocks of all machines follow a time server (NTP).';

function judge(ms: number, message: string, hint: string): Finding[] {
  if (ms <= WARNED_MS) return [];
  return [ms > FAILED_MS ? failure(message, hint) : warning(message, hint)];
}

const secondsOf = (ms: number): number => Math.round(ms / SECOND_MS);

/** Compares the clocks. The reply took some time, so the middle between request and reply counts as the moment of reading. */
async function compareWithDatabase(database: Database, clock: Clock): Promise<Finding[]> {
  if (database.kind === 'sqlite') return [];
  const from = clock.now();
  const row = await databaseTime.first(database, {});
  const difference = (from + clock.now()) / 2 - Number(row?.now ?? from);
  const apart = Math.abs(difference);
  const where = difference > 0 ? 'ahead of' : 'behind';
  return judge(
    apart,
    `The clock of this machine is ${secondsOf(apart)} s ${where} the clock of the database.`,
    SET_CLOCK,
  );
}

async function compareWithEvents(database: Database, clock: Clock): Promise<Finding[]> {
  const latest = await latestEvent.first(database, {});
  const ahead = Number(latest?.at ?? 0) - clock.now();
  return judge(
    ahead,
    `The newest event of the audit log is ${secondsOf(ahead)} s in the future.`,
    `${SET_CLOCK} If a clock was ahead only when the event was stored, this warning disappears by itself.`,
  );
}

/** Checks that the clock of this machine agrees with the database's clock and with the newest event stored there. */
export async function checkClock(database: Database, clock: Clock): Promise<Finding> {
  const findings = [...(await compareWithDatabase(database, clock)), ...(await compareWithEvents(database, clock))];
  const worst = findings.find(({ status }) => status === 'failed') ?? findings[0];
  return (
    worst ??
    fine(
      `The clock of this machine agrees with ${database.kind === 'sqlite' ? 'the audit log' : 'the clock of the database'}.`,
    )
  );
}
