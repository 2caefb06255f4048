/** The number of avatar colours. Colours 10 to 19 are other shades of colours 0 to 9. */
const TONES = 20;
const FIRST_CHOICE = TONES / 2;
/** The step from one colour number to a clearly different colour. Repeated steps reach all colours. */
const STEP = 3;

function firstLetter(word: string): string {
  const [first] = new Intl.Segmenter().segment(word);
  return first?.segment ?? '';
}

/**
 * Returns one or two letters that represent a person without a picture.
 *
 * @returns the first letters of the first and last word of the full name; without a full name the first letter of the
 *   username
 */
export function initialsOf(fullName: string, username: string): string {
  const words = fullName.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const first = words[0];
  const last = words.length > 1 ? words.at(-1) : undefined;
  const letters = first === undefined ? firstLetter(username) : firstLetter(first) + firstLetter(last ?? '');
  return letters.toLocaleUpperCase();
}

/** Returns the number of the avatar colour of a user, 0 to 9. It is always the same for a username. */
export function toneOf(username: string): number {
  let sum = 0;
  for (const character of username) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % FIRST_CHOICE;
}

/** Returns every colour number, beginning with the given one. The second shades come last. */
function tonesFrom(tone: number): number[] {
  const first = Array.from({ length: FIRST_CHOICE }, (_, step) => (tone + step * STEP) % FIRST_CHOICE);
  return [...first, ...first.map((one) => one + FIRST_CHOICE)];
}

/**
 * Assigns avatar colours to the people in one list.
 *
 * @returns a different number from 0 to 19 for each of up to 20 usernames; the others get none. A username gets the number
 *   of `toneOf` if no other username in the list has taken it. The order of the list does not matter, so that no colour
 *   changes when another account becomes the current one
 */
export function tonesOf(usernames: readonly string[]): Map<string, number> {
  const sorted = [...new Set(usernames)].sort();
  const owners = new Map(sorted.toReversed().map((username) => [toneOf(username), username]));
  for (const username of sorted) {
    const own = toneOf(username);
    if (owners.get(own) === username) continue;
    const free = tonesFrom(own).find((tone) => !owners.has(tone));
    if (free !== undefined) owners.set(free, username);
  }
  return new Map([...owners].map(([tone, username]) => [username, tone]));
}
