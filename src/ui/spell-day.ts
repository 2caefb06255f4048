/**
 * Returns a function that writes a day in the style of a language, such as `Jan 2, 2026`. The function creates its
 * format only once, because that takes longer than writing all dates of a page.
 *
 * @returns a function of a day in ISO 8601, such as `2026-01-02`
 */
export function daySpeller(language: string): (day: string) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (day) => {
    format ??= new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
    return format.format(new Date(day));
  };
}
