/** What was typed as a code, with full-width signs made plain and spaces and dashes between digits left out. */
export function cleanCode(typed: string): string {
  const plain = typed.normalize('NFKC').replace(/\s+/g, '');
  const digits = plain.replace(/[-\u2010-\u2015.]/g, '');
  return /^\d{6}$/.test(digits) ? digits : plain;
}

/** Whether this is a whole code of an authenticator app. */
export function isAppCode(code: string): boolean {
  return /^\d{6}$/.test(code);
}
