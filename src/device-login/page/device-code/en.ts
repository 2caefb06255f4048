/** English texts of the page that asks for a device code. */
export const en = {
  title: 'Let a program sign in',
  lede: 'Enter the code that the program shows. You then see what the program requests.',
  code: 'Code',
  codeHint: 'Eight letters, such as BCDF-GHJK.',
  submit: 'Continue',
};
