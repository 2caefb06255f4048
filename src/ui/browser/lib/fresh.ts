/**
 * Reloads the page if the browser restores it from its back-forward cache: another person may be signed in by now, the
 * CSRF token may have changed, and personal data must not reappear after a sign-out.
 */
export function keepFresh(): void {
  addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    // A page that answered a form must not send the form again.
    if (location.hash === '') location.replace(location.href);
    else location.reload();
  });
}
