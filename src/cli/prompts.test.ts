import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Refusal } from '../command/refusal.ts';
import { createPrompts } from './prompts.ts';

const [CTRL_C, CTRL_D] = ['\u0003', '\u0004'];

/** Both ends of a terminal, in which a person types. */
function terminal() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const shown = { text: '' };
  output.on('data', (chunk) => {
    shown.text += String(chunk);
  });
  const type = async (keys: string, after: string) => {
    await expect.poll(() => shown.text).toContain(after);
    input.write(keys);
  };
  const keyboard = Object.assign(input, { isTTY: true, setRawMode: () => keyboard });
  const screen = Object.assign(output, { isTTY: true, columns: 80, rows: 24 });
  return { type, prompts: createPrompts({ input: keyboard, output: screen }) };
}

test.each([
  ['Ctrl-C', CTRL_C],
  ['Ctrl-D', CTRL_D],
  ['letters and Ctrl-D', `half${CTRL_D}`],
])('%s at a hidden question changes nothing', async (_what, keys) => {
  const { prompts, type } = terminal();

  const asked = prompts.readPassword(false, () => undefined);
  await Promise.all([expect(asked).rejects.toEqual(new Refusal('Nothing was changed.')), type(keys, 'New password')]);
});

test('Ctrl-D at a question for yes or no is no', async () => {
  const { prompts, type } = terminal();

  const asked = prompts.confirm('Remove ada?');
  await Promise.all([expect(asked).rejects.toEqual(new Refusal('Nothing was changed.')), type(CTRL_D, 'Remove ada?')]);
});

test('what is typed twice alike is the password', async () => {
  const { prompts, type } = terminal();

  const asked = prompts.readPassword(false, () => undefined);
  await type('right-horse-7\r', 'New password');
  await type('right-horse-7\r', 'The same again');

  expect(await asked).toBe('right-horse-7');
});
