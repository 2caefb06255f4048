import type { Transaction } from '../db/handle.ts';
import { HOUR_MS, SECOND_MS } from '../lib/clock.ts';

const FIRST_DELAY_MS = 10 * SECOND_MS;
/** No message waits longer for its next attempt. */
export const MAX_DELAY_MS = HOUR_MS;

/** How long a message waits after a number of failed attempts. */
export const delayAfter = (attempts: number): number => Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));

/** A message that this process is trying to send. */
export interface Message {
  id: string;
  payload: unknown;
}

export type Outcome = 'delivered' | 'retried' | 'failed';

/** What came of an attempt, where its sender keeps a record. */
export interface Attempt<Sent> {
  /** Undefined: the message was delivered. */
  failure: Error | undefined;
  sent: Sent;
}

/** An attempt that has ended, for the record. */
export interface Ended<Sent> {
  id: string;
  outcome: Outcome;
  sent: Sent;
}

/** What a delay depends on: a message that could not be sent. */
export interface FailedMessage {
  createdAt: number;
  now: number;
  failure: unknown;
}

/** Makes an attempt. Throws if the message could not be sent, or says so in the attempt. Then it is retried later. */
type Send<Sent> = (signal: AbortSignal) => Promise<Attempt<Sent> | undefined>;

/** Sends the messages of one kind. */
export interface Sender<Sent = unknown> {
  kind: string;
  /** How long a message waits after a number of failed attempts, undefined: it is given up; `delayAfter` if not given. */
  delayAfter?: (attempts: number, message: FailedMessage) => number | undefined;
  /** For messages that have a payload. */
  send?(message: Message, signal: AbortSignal): ReturnType<Send<Sent>>;
  /** For those without: finds by their ids what to send. A message that is not found is dropped. */
  prepare?(ids: readonly string[]): Promise<ReadonlyMap<string, Send<Sent>>>;
  /** Keeps outcomes for the receivers, whose rows it locks; first in the transaction that ends the attempts. */
  recordReceivers?(tx: Transaction, ended: readonly Ended<Sent>[]): Promise<void>;
  /** Keeps the outcomes of messages, except of those whose claim was lost. */
  recordMessages?(tx: Transaction, ended: readonly Ended<Sent>[]): Promise<void>;
}
