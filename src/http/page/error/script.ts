import { announce } from '../../../ui/browser/lib/announce.ts';
import { countDown } from '../../../ui/browser/lib/countdown.ts';
import { find } from '../../../ui/browser/lib/dom.ts';
import { fill, pageTexts } from '../../../ui/browser/lib/texts.ts';
import type { en } from './en.ts';

const texts = pageTexts<typeof en>();
const wait = find('wait', HTMLAnchorElement);
if (wait) {
  countDown(Number(wait.dataset.seconds), (time) => {
    // The link stays disabled until the wait is over, because an earlier try would be refused and would also be
    // counted.
    wait.setAttribute('aria-disabled', String(time !== undefined));
    wait.textContent = time === undefined ? texts.tryAgain : fill(texts.waitButton, { time });
    if (time === undefined) announce(texts.tryAgainNow);
  });
  wait.addEventListener('click', (event) => {
    if (wait.getAttribute('aria-disabled') === 'true') event.preventDefault();
  });
}
