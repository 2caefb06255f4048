/** Texts of the page in English. */
export const en = {
  title: 'No access',
  lede: (application: string) => `This account may not use ${application}:`,
  hint: 'Use another account, or ask an administrator for access.',
  another: 'Use another account',
  back: 'Back to the application',
};
