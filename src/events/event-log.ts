import { errorRegistry } from '../errors/registry.ts';
import type { Clock } from '../lib/clock.ts';
import { type EventRecord, toLine, toRecord } from './event-record.ts';
import type { Note } from './event-types.ts';
import type { EventWriter } from './record-event.ts';
import type { RefusalQueue } from './refusal-queue.ts';

/** Writes one line of the log: its fields and its message. */
export type WriteLine = (fields: Record<string, unknown>, message: string) => void;

const writeRecord = (writeLine: WriteLine, record: EventRecord): void =>
  writeLine(toLine(record), `audit: ${record.event}`);

/** Makes the writer that logs an event once its change is committed. */
export const logWriter = (writeLine: WriteLine): EventWriter => ({
  write: (tx, record) => tx.afterCommit(() => writeRecord(writeLine, record)),
});

/** Records notes of a request, outside of any transaction. */
export interface Notes {
  note(note: Note): void;
  /** How many refusals are missing in the audit log because too many waited. */
  dropped(): number;
  /** Writes the waiting refusals into the audit log. */
  finish(): Promise<void>;
}

type Refusal = Exclude<Note, { type: 'sign_in.second_step' }>;

/**
 * Refusals for the audit log: all of sign-ins and confirmations, otherwise those of rights, limits and invalid tokens.
 */
function isKept(note: Note): note is Refusal {
  if (note.type !== 'request.refused') return note.type !== 'sign_in.second_step';
  const { reason } = note.details;
  return reason === 'TOKEN_INVALID' || [403, 429].includes(errorRegistry[reason].status);
}

/** The details of a refusal in the audit log, which are fewer than in the log line. */
function keptDetails({ type, details }: Refusal): Readonly<Record<string, unknown>> {
  const { reason, route, cause } = details;
  if (type === 'request.refused') return { reason, route };
  return { reason, method: details.method, ...(cause === undefined ? {} : { cause }) };
}

/** Logs each note at once, and writes refusals into the audit log a little later. */
export function createNotes(writeLine: WriteLine, clock: Clock, refusals: RefusalQueue): Notes {
  return {
    note: (note) => {
      const record = toRecord(note, clock.now());
      writeRecord(writeLine, record);
      if (isKept(note)) refusals.add({ ...record, details: keptDetails(note) });
    },
    dropped: () => refusals.dropped,
    finish: () => refusals.finish(),
  };
}
