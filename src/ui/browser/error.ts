import { enableCopying } from './lib/copy.ts';
import { addSoftBreaks } from './lib/soft-breaks.ts';

addSoftBreaks();
enableCopying();
