import type { Clock } from '../lib/clock.ts';
import { type EventRecord, toLine, toRecord } from './event-record.ts';
import type { Note } from './event-types.ts';
import type { EventWriter } from './record-event.ts';

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
}

export const createNotes = (writeLine: WriteLine, clock: Clock): Notes => ({
  note: (note) => writeRecord(writeLine, toRecord(note, clock.now())),
});
