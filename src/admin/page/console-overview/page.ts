import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

export const consoleOverviewPage = definePage({ name: 'console-overview', texts: { en, de }, samples });
