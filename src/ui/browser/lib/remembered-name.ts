/** The storage key of the username of the last sign-in. */
export const rememberedNameKey = 'authsvc.username';

/** The username of the last sign-in in this browser; nothing if the browser has no storage. */
export function rememberedName(): string {
  try {
    return localStorage.getItem(rememberedNameKey) ?? '';
  } catch {
    return '';
  }
}

/** Removes it, so that the next person does not see it. */
export function forgetName(): void {
  try {
    localStorage.removeItem(rememberedNameKey);
  } catch {
    // A browser without storage has no name stored.
  }
}

/** Stores the username for the next sign-in. */
export function rememberName(username: string): void {
  try {
    localStorage.setItem(rememberedNameKey, username);
  } catch {
    // A browser without storage: the person types the name again next time.
  }
}
