import { isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CommandFailure } from '../command/command-failure.ts';
import type { CommandServices } from '../command/context.ts';
import { USAGE } from '../command/refusal-words.ts';

/** The streams for questions. Questions are written to stderr, because stdout is for the result. */
export interface Terminal {
  input: Readable & { isTTY?: boolean };
  output: Writable & { isTTY?: boolean };
}

/** Matches passwords that no one can type on the sign-in page: with several lines, or with a byte order mark from a tool. */
const HARD_TO_TYPE = /\p{Cc}|^\uFEFF/u;

async function readText({ input, output }: Terminal): Promise<string> {
  const bytes = await buffer(input);
  if (!isUtf8(bytes)) throw new CommandFailure('The password on standard input is not text in UTF-8.');
  const text = bytes.toString().replace(/\r?\n$/, '');
  if (HARD_TO_TYPE.test(text))
    output.write(
      'The password contains a control character, such as a line break, or a byte order mark. It is used unchanged.\n',
    );
  return text;
}

/** Asks a question and treats Ctrl-D like Ctrl-C. Without this, Ctrl-D would leave the question open forever. */
async function askUntilEnd<Answer>(input: Readable, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const end = new AbortController();
  const onKey = (_text: unknown, key?: { ctrl?: boolean; name?: string }) => {
    if (key?.ctrl && key.name === 'd') end.abort();
  };
  input.on('keypress', onKey);
  return ask(end.signal).finally(() => input.off('keypress', onKey));
}

async function askUnseen(
  terminal: Terminal,
  message: string,
  complaintOf?: (typed: string) => string | undefined,
): Promise<string> {
  const { isCancel, password } = await import('@clack/prompts');
  const validate = (typed: string | undefined) => complaintOf?.(typed ?? '');
  const answer = await askUntilEnd(terminal.input, (signal) =>
    password({ message, validate, clearOnError: true, signal, ...terminal }),
  );
  if (isCancel(answer)) throw new CommandFailure('Nothing was changed.');
  return answer;
}

/**
 * Creates the functions with which commands ask a person.
 *
 * `readPassword` throws a CommandFailure if there is no terminal (wrong usage), if the two inputs differ, or if the input
 * is not text. `confirm` asks only at a terminal and otherwise accepts, because a program cannot answer.
 */
export function createPrompts(terminal: Terminal): Pick<CommandServices, 'readPassword' | 'confirm'> {
  const { input, output } = terminal;
  /** Returns whether a person can see a question and answer it. */
  const hasPerson = () => input.isTTY === true && output.isTTY === true;
  return {
    readPassword: async (fromStdin, complaintOf) => {
      if (fromStdin) return readText(terminal);
      if (!hasPerson())
        throw new CommandFailure('There is no terminal to ask for the password: use --password-stdin.', USAGE);
      const message = 'New password (8 to 255 characters, not a common one)';
      const first = await askUnseen(terminal, message, complaintOf);
      const second = await askUnseen(terminal, 'The same again');
      if (first !== second) throw new CommandFailure('The two passwords differ. Nothing was changed.');
      return first;
    },
    confirm: async (question) => {
      if (!hasPerson()) return;
      const prompts = await import('@clack/prompts');
      const answer = await askUntilEnd(input, (signal) =>
        prompts.confirm({ message: question, initialValue: false, signal, ...terminal }),
      );
      if (answer !== true) throw new CommandFailure('Nothing was changed.');
    },
  };
}
