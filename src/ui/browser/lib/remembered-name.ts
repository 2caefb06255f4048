const key = 'authsvc.username';

/** The username of the last sign-in in this browser; nothing when the browser keeps nothing. */
export function rememberedName(): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** Keeps the username for the next sign-in. */
export function rememberName(username: string): void {
  try {
    localStorage.setItem(key, username);
  } catch {
    // A browser that keeps nothing: the name is typed again next time.
  }
}
