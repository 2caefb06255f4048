/** The localStorage key of the username of the last sign-in. */
export const rememberedNameKey = 'authsvc.username';

/** Returns the username of the last sign-in in this browser; empty if the browser has no storage. */
export function rememberedName(): string {
  try {
    return localStorage.getItem(rememberedNameKey) ?? '';
  } catch {
    return '';
  }
}

/** Removes the remembered username, so that the next person does not see it. */
export function forgetName(): void {
  try {
    localStorage.removeItem(rememberedNameKey);
  } catch {
    // Without storage there is nothing to remove.
  }
}

/** Stores the username for the next sign-in. */
export function rememberName(username: string): void {
  try {
    localStorage.setItem(rememberedNameKey, username);
  } catch {
    // Without storage the person types the name again next time.
  }
}
