// The texts of errors for the scripts of German pages. They are a file of their own, which browsers cache, so that pages
// stay small.
import { errorsDe } from '../texts/errors-de.ts';

window.errorTexts = errorsDe;
