/**
 * Loads the page anew when the browser brings it back from its memory: who is signed in, and the CSRF token, may have
 * changed since, and nobody's data may reappear after a sign-out.
 */
export function keepFresh(): void {
  addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload();
  });
}
