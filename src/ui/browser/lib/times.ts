/** No line ends between the time and the half of the day. */
const keepTogether = (text: string): string => text.replace(/\s(?=[AP]M$)/, '\u00a0');

/** Puts the instants of the page into the language and the time zone of the person who reads it. */
export function localiseTimes(): void {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });
  for (const time of document.querySelectorAll('time')) {
    const instant = new Date(time.dateTime);
    if (!Number.isNaN(instant.getTime())) time.textContent = keepTogether(format.format(instant));
  }
}
