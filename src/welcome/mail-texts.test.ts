import { expect, test } from 'vitest';
import { linkMail } from './mail-texts.ts';

const settings = { APP_NAME: 'authsvc', BRAND_NAME: undefined, LANGUAGE: 'auto' } as const;
const facts = { to: 'ada@box.test', username: 'ada', link: 'https://x.test/l', expiresAt: 0 };

test('in an English mail, the sentence after the greeting begins with a capital letter', () => {
  for (const kind of ['invite', 'reset', 'email'] as const) {
    const [, sentence] = linkMail(settings, { ...facts, kind, language: 'en' }).text.split('\n\n');
    expect([kind, sentence]).toEqual([kind, expect.stringMatching(/^[A-Z]/)]);
  }
});
