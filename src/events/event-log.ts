import { errorRegistry } from '../errors/registry.ts';
import type { Clock } from '../lib/clock.ts';
import { type EventRecord, toLine, toRecord } from './event-record.ts';
import type { Note } from './event-types.ts';
import type { EventWriter } from './record-event.ts';
import type { RefusalQueue } from './refusal-queue.ts';

/** Writes one line to the log, with these fields and this message. */
export type WriteLine = (fields: Record<string, unknown>, message: string) => void;

const writeRecord = (writeLine: WriteLine, record: EventRecord): void =>
  writeLine(toLine(record), `audit: ${record.event}`);

/** Creates the writer that logs an event once its change is committed. */
export const logWriter = (writeLine: WriteLine): EventWriter => ({
  write: (tx, record) => tx.afterCommit(() => writeRecord(writeLine, record)),
});

/** Records refusals, and steps of a request that change nothing, outside of any transaction. */
export interface Notes {
  note(note: Note): void;
  /** Returns how many refusals are missing from the audit log because too many were waiting. */
  dropped(): number;
  /** Writes the waiting refusals into the audit log. */
  finish(): Promise<void>;
}

type Refusal = Exclude<Note, { type: 'sign_in.second_step' }>;

/**
 * Returns whether the audit log stores a note. It stores all refused sign-ins and confirmations. It stores other
 * refused requests only if the token is invalid or the status is 403 or 429.
 */
function isKept(note: Note): note is Refusal {
  if (note.type !== 'request.refused') return note.type !== 'sign_in.second_step';
  const { reason } = note.details;
  return reason === 'TOKEN_INVALID' || [403, 429].includes(errorRegistry[reason].status);
}

/** Returns the details of a refusal that the audit log stores. The log line contains more details. */
function keptDetails({ type, details }: Refusal): Readonly<Record<string, unknown>> {
  const { reason, route, cause } = details;
  if (type === 'request.refused') return { reason, route };
  return { reason, method: details.method, ...(cause === undefined ? {} : { cause }) };
}

/** Creates the recorder of notes. It logs each note at once, and writes refusals into the audit log shortly after. */
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
