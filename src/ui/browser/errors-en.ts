// The texts of errors for the scripts of English pages. They are a file of their own, which browsers cache, so that pages
// stay small.
import { errorsEn } from '../texts/errors-en.ts';

window.errorTexts = errorsEn;
