// Runs on every page and enables the parts that pages share.
import { enableCopying } from './lib/copy.ts';
import { find } from './lib/dom.ts';
import { keepFresh } from './lib/fresh.ts';
import { showCurrentEntry } from './lib/navigation.ts';
import { showNotice } from './lib/notice.ts';
import { enablePasswordFields } from './lib/password.ts';
import { dropBrokenPictures } from './lib/pictures.ts';
import { addSoftBreaks } from './lib/soft-breaks.ts';
import { localiseTimes, showAges } from './lib/times.ts';
import { keepWordsWhole } from './lib/whole-words.ts';

const notice = find('notice', HTMLElement);
if (notice) showNotice(notice);
localiseTimes();
showCurrentEntry();
showAges();
addSoftBreaks();
keepWordsWhole();
dropBrokenPictures();
enableCopying();
enablePasswordFields();
if (document.body.dataset.public === undefined) keepFresh();
