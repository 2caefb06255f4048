/** Returns a duration in words of the given language: in hours if it is less than a day, otherwise in days. */
export function spellDays(days: number, language: string): string {
  const [value, unit] = days < 1 ? [days * 24, 'hour'] : [days, 'day'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
