import { expect, test } from 'vitest';
import { allPages } from '../../src/pages.ts';
import { languages } from '../../src/ui/texts/languages.ts';

function leaves(value: object, path = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object' && inner !== null ? leaves(inner, `${path}${key}.`) : [[`${path}${key}`, inner]],
  );
}

const placeholders = (text: unknown) => String(text).match(/\{\w+\}/g) ?? [];

test.each([{ name: 'all pages', texts: { en: languages.en.texts, de: languages.de.texts } }, ...allPages])(
  'no text of $name is empty, and each has the same placeholders in every language',
  ({ texts }) => {
    const german = new Map(leaves(texts.de));

    for (const [path, text] of leaves(texts.en)) {
      expect(german.get(path), path).toBeTruthy();
      if (typeof text === 'string') expect(placeholders(german.get(path)), path).toEqual(placeholders(text));
    }
  },
);
