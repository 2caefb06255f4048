import { errorRegistry } from '../errors/registry.ts';
import type { Clock } from '../lib/clock.ts';
import { type EventRecord, toLine, toRecord } from './event-record.ts';
import type { Note } from './event-types.ts';
import type { EventWriter } from './record-event.ts';
import type { RefusalQueue } from './refusal-queue.ts';

/** Takes one line of the log: its fields and its message. */
export type WriteLine = (fields: Record<string, unknown>, message: string) => void;

const writeRecord = (writeLine: WriteLine, record: EventRecord): void =>
  writeLine(toLine(record), `audit: ${record.event}`);

/** Makes the writer that logs an event once its change is committed. */
export const logWriter = (writeLine: WriteLine): EventWriter => ({
  write: (tx, record) => tx.afterCommit(() => writeRecord(writeLine, record)),
});

/** Takes what is noted beside a request, outside of any transaction. */
export interface Notes {
  note(note: Note): void;
  /** How many refusals the audit log lacks because too many waited to be written. */
  dropped(): number;
  /** Writes the refusals that wait into the audit log. */
  finish(): Promise<void>;
}

type Refusal = Exclude<Note, { type: 'sign_in.second_step' }>;

/** Refusals that the audit log keeps: of sign-ins and confirmations all, else those of rights, limits and dead tokens. */
function isKept(note: Note): note is Refusal {
  if (note.type !== 'request.refused') return note.type !== 'sign_in.second_step';
  const { reason } = note.details;
  return reason === 'TOKEN_INVALID' || [403, 429].includes(errorRegistry[reason].status);
}

/** What the audit log says of a refusal, which is less than the line does. */
function keptDetails({ type, details }: Refusal): Readonly<Record<string, unknown>> {
  const { reason, route, cause } = details;
  if (type === 'request.refused') return { reason, route };
  return { reason, method: details.method, ...(cause === undefined ? {} : { cause }) };
}

/** Logs each note at once, and lets refusals join the audit log a little later. */
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
