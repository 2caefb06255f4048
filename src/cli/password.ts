import { text } from 'node:stream/consumers';
import { Refusal, UsageError } from '../command/refusal.ts';

async function ask(message: string): Promise<string> {
  const { isCancel, password } = await import('@clack/prompts');
  const answer = await password({ message });
  if (isCancel(answer)) throw new Refusal('Nothing was changed.');
  return answer;
}

/**
 * The password that a person gives: all of standard input without its final line break, or typed twice unseen.
 *
 * Throws  UsageError without a terminal to ask at; Refusal when the two differ.
 */
export async function readPassword(fromStdin: boolean): Promise<string> {
  if (fromStdin) return (await text(process.stdin)).replace(/\r?\n$/, '');
  if (!process.stdin.isTTY) throw new UsageError('There is no terminal to ask for the password: use --password-stdin.');
  const first = await ask('New password');
  if (first !== (await ask('The same again'))) throw new Refusal('The two passwords differ. Nothing was changed.');
  return first;
}
