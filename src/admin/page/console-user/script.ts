import { enableChanges } from '../../../ui/browser/lib/changes.ts';
import { warnOfLists } from '../../../ui/browser/lib/list-warnings.ts';

enableChanges();
warnOfLists();
