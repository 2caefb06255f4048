/** Texts of the page in English. */
export const en = {
  title: 'Back to the application',
  lede: 'You are sent back to the application. If nothing happens, continue here.',
  submit: 'Continue',
};
