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

/** Forgets it, so that whoever comes next does not see who was here. */
export function forgetName(): void {
  try {
    localStorage.removeItem(rememberedNameKey);
  } catch {
    // A browser that keeps nothing has kept no name.
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
