/** English texts of the list of error codes. */
export const en = {
  title: 'Error codes',
  lede: 'Every error that this service returns, what it means and what to do about it.',
  search: 'Name, number or words',
  searchLabel: 'Search error codes',
  categories: 'Categories',
  /** The keys are the category names in the error registry. */
  categoryNames: {
    Authentication: 'Authentication',
    'Two-factor authentication': 'Two-step sign-in',
    'Session management': 'Session management',
    Authorization: 'Authorization',
    'Input validation': 'Input validation',
    'Rate limiting': 'Rate limiting',
    Server: 'Server',
    OAuth: 'Sign-in through providers (OAuth)',
  },
  status: (status: number) => `HTTP ${status}`,
  onPages: 'Pages say:',
  none: 'No error code matches.',
  browser: {
    found: '{count} of {total} codes',
  },
};
