/**
 * Reloads the page if the browser restores it from its back-forward cache. By then another person may be signed in, or
 * the CSRF token may have changed. Personal data must not reappear after a sign-out.
 */
export function keepFresh(): void {
  addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    // If the page is the reply to a form, `reload` would send the form again, so `replace` fetches the page instead. With
    // a hash in its URL, only `reload` fetches the page.
    if (location.hash === '') location.replace(location.href);
    else location.reload();
  });
}
