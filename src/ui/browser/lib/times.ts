import { texts } from './texts.ts';

/** Keeps AM or PM on the same line as its time. */
const keepTogether = (text: string): string => text.replace(/\s(?=[AP]M$)/, '\u00a0');

/** Shows the times of the page in the reader's language and time zone, except those that are shown to the millisecond. */
export function localiseTimes(): void {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });
  for (const time of document.querySelectorAll<HTMLTimeElement>('time:not([data-exact])')) {
    const instant = new Date(time.dateTime);
    if (!Number.isNaN(instant.getTime())) time.textContent = keepTogether(format.format(instant));
  }
}

/** Shows how long ago each time was, if the page knows its age, and keeps the text up to date. */
export function showAges(): void {
  const words = new Intl.RelativeTimeFormat(document.documentElement.lang);
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-age]')) {
    time.title = time.textContent ?? '';
    const show = () => {
      const seconds = Number(time.dataset.age) + performance.now() / 1000;
      time.textContent = seconds < 60 ? texts.justNow : words.format(-Math.floor(seconds / 60), 'minute');
    };
    show();
    setInterval(show, 5000);
  }
}
