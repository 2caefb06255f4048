import { texts } from './texts.ts';

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

/** Says of the instants whose age the service has told how long ago they were, and goes on saying so. */
export function tellAges(): void {
  const words = new Intl.RelativeTimeFormat(document.documentElement.lang);
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-age]')) {
    time.title = time.textContent ?? '';
    const tell = () => {
      const seconds = Number(time.dataset.age) + performance.now() / 1000;
      time.textContent = seconds < 60 ? texts.justNow : words.format(-Math.floor(seconds / 60), 'minute');
    };
    tell();
    setInterval(tell, 5000);
  }
}
