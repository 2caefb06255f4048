const tones = 6;

function firstLetter(word: string): string {
  const [first] = new Intl.Segmenter().segment(word);
  return first?.segment ?? '';
}

/**
 * One or two letters that stand for a person where there is no picture.
 *
 * Gives   the first letters of the first and last word of the full name, else the first letter of the username.
 */
export function initialsOf(fullName: string, username: string): string {
  const words = fullName.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const first = words[0];
  const last = words.length > 1 ? words.at(-1) : undefined;
  const letters = first === undefined ? firstLetter(username) : firstLetter(first) + firstLetter(last ?? '');
  return letters.toLocaleUpperCase();
}

/** A number from 0 to 5 that stays the same for a username: which of the avatar colours the person has. */
export function toneOf(username: string): number {
  let sum = 0;
  for (const character of username) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % tones;
}
