/** A wait in the words of a language: seconds below a minute, whole minutes from there on, rounded up. */
export function spellWait(seconds: number, language: string): string {
  const [value, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
