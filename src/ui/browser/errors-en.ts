// The texts of errors for the scripts of English pages. A browser keeps them, so that pages stay small.
import { errorsEn } from '../texts/errors-en.ts';

window.errorTexts = errorsEn;
