import { enableChanges } from '../../../ui/browser/lib/changes.ts';

enableChanges();
