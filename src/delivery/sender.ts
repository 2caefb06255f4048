import type { Transaction } from '../db/handle.ts';
import { HOUR_MS, SECOND_MS } from '../lib/clock.ts';

const FIRST_DELAY_MS = 10 * SECOND_MS;
/** Longest time until the next attempt. */
export const MAX_DELAY_MS = HOUR_MS;

/** Returns how long a message waits after this number of failed attempts. */
export const delayAfter = (attempts: number): number => Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));

/** A message that this process is trying to send. */
export interface Message {
  id: string;
  payload: unknown;
}

export type Outcome = 'delivered' | 'retried' | 'failed';

/** The result of an attempt, for senders that record their attempts. */
export interface Attempt<Sent> {
  /** Why the message was not delivered; undefined if it was. */
  failure: Error | undefined;
  sent: Sent;
}

/** An ended attempt, as a sender records it. */
export interface Ended<Sent> {
  id: string;
  outcome: Outcome;
  sent: Sent;
}

/** Facts about a message that could not be sent, from which its delay is computed. */
export interface FailedMessage {
  createdAt: number;
  now: number;
  failure: unknown;
}

/** Tries to send a message. If that fails, it throws or returns the failure. The message is then retried later. */
type Send<Sent> = (signal: AbortSignal) => Promise<Attempt<Sent> | undefined>;

/** Sends the messages of one kind. */
export interface Sender<Sent = unknown> {
  kind: string;
  /** Returns how long a message waits after a failure, or undefined if it is given up. Default: the function `delayAfter`. */
  delayAfter?: (attempts: number, message: FailedMessage) => number | undefined;
  /** Sends a message that has a payload. */
  send?(message: Message, signal: AbortSignal): ReturnType<Send<Sent>>;
  /** For messages without a payload: finds by their ids how to send them. A message that is not in the result is deleted. */
  prepare?(ids: readonly string[]): Promise<ReadonlyMap<string, Send<Sent>>>;
  /** Records outcomes in the rows of the receivers, and locks these rows. Runs first in the transaction that ends attempts. */
  recordReceivers?(tx: Transaction, ended: readonly Ended<Sent>[]): Promise<void>;
  /** Records outcomes of messages, except of those that another process has claimed in the meantime. */
  recordMessages?(tx: Transaction, ended: readonly Ended<Sent>[]): Promise<void>;
}
