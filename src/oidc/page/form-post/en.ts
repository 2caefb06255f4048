/** Texts of the page in English. */
export const en = {
  title: 'Back to the application',
  lede: 'You are being sent back to the application. If nothing happens, continue here.',
  submit: 'Continue',
};
