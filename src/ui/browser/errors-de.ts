// The texts of errors for the scripts of German pages. A browser keeps them, so that pages stay small.
import { errorsDe } from '../texts/errors-de.ts';

window.errorTexts = errorsDe;
