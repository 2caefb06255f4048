import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { CommandFailure } from '../command/command-failure.ts';
import { createPrompts } from './prompts.ts';

const nothingWrong = () => undefined;

/** Returns prompts at a fake terminal, whose user types each line as soon as its question appears. */
function terminalWith(answers: Record<string, string[]>, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: () => input });
  const output = Object.assign(new PassThrough(), { isTTY, columns: 100, rows: 30 });
  let shown = '';
  let waiting = Object.entries(answers).flatMap(([question, typed]) => typed.map((keys) => ({ question, keys })));
  output.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    const [next] = waiting;
    if (!next || !text.includes(next.question)) return;
    waiting = waiting.slice(1);
    setTimeout(() => input.write(next.keys), 20);
  });
  return { prompts: createPrompts({ input, output }), shown: () => shown, type: (text: Uint8Array) => input.end(text) };
}

describe('a confirmation', () => {
  test('a command continues only after a yes', async () => {
    const yes = terminalWith({ 'Remove ada': ['y'] });
    const no = terminalWith({ 'Remove ada': ['n'] });
    const enter = terminalWith({ 'Remove ada': ['\r'] });
    const stop = terminalWith({ 'Remove ada': ['\u0003'] });

    await yes.prompts.confirm('Remove ada?');

    for (const { prompts } of [no, enter, stop])
      await expect(prompts.confirm('Remove ada?')).rejects.toThrow(CommandFailure);
  });

  test('Ctrl-D counts as a no', async () => {
    const { prompts } = terminalWith({ 'Remove ada': ['\u0004'] });

    await expect(prompts.confirm('Remove ada?')).rejects.toEqual(new CommandFailure('Nothing was changed.'));
  });

  test('without a terminal, a command continues without asking', async () => {
    const { prompts, shown } = terminalWith({}, false);

    await prompts.confirm('Remove ada?');

    expect(shown()).toBe('');
  });
});

describe('a password', () => {
  test('a person sees the rules and types the password twice, and the password is not shown', async () => {
    const { prompts, shown } = terminalWith({ 'New password': ['right-horse-7\r'], 'same again': ['right-horse-7\r'] });

    expect(await prompts.readPassword(false, nothingWrong)).toBe('right-horse-7');

    expect(shown()).toContain('8 to 255 characters');
    expect(shown()).not.toContain('right-horse-7');
  });

  test('a password that breaks a rule is asked for again at once', async () => {
    const complaintOf = (typed: string) => (typed.length < 8 ? 'COMPLAINT' : undefined);
    const { prompts, shown } = terminalWith({
      'New password': ['short\r'],
      COMPLAINT: ['right-horse-7\r'],
      'same again': ['right-horse-7\r'],
    });

    expect(await prompts.readPassword(false, complaintOf)).toBe('right-horse-7');

    expect(shown()).toContain('COMPLAINT');
  });

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
    ['letters and Ctrl-D', 'half\u0004'],
  ])('%s cancels the password prompt, and nothing changes', async (_what, keys) => {
    const { prompts } = terminalWith({ 'New password': [keys] });

    await expect(prompts.readPassword(false, nothingWrong)).rejects.toEqual(new CommandFailure('Nothing was changed.'));
  });

  test('the password is refused if the second input differs from the first', async () => {
    const { prompts } = terminalWith({ 'New password': ['right-horse-7\r'], 'same again': ['other-horse-7\r'] });

    await expect(prompts.readPassword(false, nothingWrong)).rejects.toThrow(/differ/);
  });

  test('without a terminal, the command reports wrong usage and does not ask for a password', async () => {
    await expect(terminalWith({}, false).prompts.readPassword(false, nothingWrong)).rejects.toMatchObject({
      exitCode: 2,
    });
  });

  test.each([
    ['right-horse-7', 'right-horse-7'],
    ['right-horse-7\n', 'right-horse-7'],
    ['right-horse-7\r\n', 'right-horse-7'],
    ['right\nhorse-7\n\n', 'right\nhorse-7\n'],
    ['pässwörd-😀', 'pässwörd-😀'],
  ])(
    'the text %j on standard input becomes the password %j: only a final line break is removed',
    async (sent, expected) => {
      const { prompts, type } = terminalWith({}, false);
      type(Buffer.from(sent));

      expect(await prompts.readPassword(true, nothingWrong)).toBe(expected);
    },
  );

  test.each([
    ['right-horse-7\n', ''],
    ['right\nhorse-7', 'line break'],
    ['right-horse-7\r', 'line break'],
    ['\uFEFFright-horse-7', 'byte order mark'],
  ])(
    'for the password %j on standard input, the warning names the character that cannot be typed: %j',
    async (sent, remark) => {
      const { prompts, type, shown } = terminalWith({}, false);
      type(Buffer.from(sent));

      await prompts.readPassword(true, nothingWrong);

      if (remark === '') expect(shown()).toBe('');
      else expect(shown()).toContain(remark);
    },
  );

  test('a password on standard input is refused if it is not UTF-8, because it would differ from the intended one', async () => {
    const { prompts, type } = terminalWith({}, false);
    type(Buffer.from([0x70, 0xe4, 0x73, 0x73, 0x77, 0xf6, 0x72, 0x64, 0x31]));

    await expect(prompts.readPassword(true, nothingWrong)).rejects.toThrow(/UTF-8/);
  });
});
