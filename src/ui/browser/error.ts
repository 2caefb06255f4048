import { announce } from './lib/announce.ts';
import { enableCopying } from './lib/copy.ts';
import { countDown } from './lib/countdown.ts';
import { find } from './lib/dom.ts';
import { addSoftBreaks } from './lib/soft-breaks.ts';
import { fill, texts } from './lib/texts.ts';
import { keepWordsWhole } from './lib/whole-words.ts';

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
