import { announce } from '../../../ui/browser/lib/announce.ts';
import { enableCopying } from '../../../ui/browser/lib/copy.ts';
import { countDown } from '../../../ui/browser/lib/countdown.ts';
import { find } from '../../../ui/browser/lib/dom.ts';
import { addSoftBreaks } from '../../../ui/browser/lib/soft-breaks.ts';
import { fill, pageTexts } from '../../../ui/browser/lib/texts.ts';
import { keepWordsWhole } from '../../../ui/browser/lib/whole-words.ts';
import type { en } from './en.ts';

const texts = pageTexts<typeof en>();
const wait = find('wait', HTMLAnchorElement);
if (wait) {
  countDown(Number(wait.dataset.seconds), (time) => {
    // A try before its time would be refused, and count.
    wait.setAttribute('aria-disabled', String(time !== undefined));
    wait.textContent = time === undefined ? texts.tryAgain : fill(texts.waitButton, { time });
    if (time === undefined) announce(texts.tryAgainNow);
  });
  wait.addEventListener('click', (event) => {
    if (wait.getAttribute('aria-disabled') === 'true') event.preventDefault();
  });
}
addSoftBreaks();
keepWordsWhole();
enableCopying();
