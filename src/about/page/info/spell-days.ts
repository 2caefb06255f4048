/** A number of days in the words of a language, in hours if it is less than a day. */
export function spellDays(days: number, language: string): string {
  const [value, unit] = days < 1 ? [days * 24, 'hour'] : [days, 'day'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
