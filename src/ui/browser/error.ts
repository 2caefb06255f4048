import { enableCopying } from './lib/copy.ts';

enableCopying();
