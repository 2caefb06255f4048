import type { Provider } from '../provider.ts';
import { codehost } from './codehost.ts';
import { websso } from './websso.ts';

/** Every provider, in the order in which they are documented. */
export const providers: readonly Provider[] = [codehost, websso];
