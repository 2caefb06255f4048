/** Where the browser keeps the username of the last sign-in. */
export const rememberedNameKey = 'authsvc.username';

/** The username of the last sign-in in this browser; nothing when the browser keeps nothing. */
export function rememberedName(): string {
  try {
    return localStorage.getItem(rememberedNameKey) ?? '';
  } catch {
    return '';
  }
}

/** Keeps the username for the next sign-in. */
export function rememberName(username: string): void {
  try {
    localStorage.setItem(rememberedNameKey, username);
  } catch {
    // A browser that keeps nothing: the name is typed again next time.
  }
}
