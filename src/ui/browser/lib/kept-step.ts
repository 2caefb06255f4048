/**
 * Keeps the page on its own sign-in after a reload. The server shows the newest unfinished sign-in of the browser, which
 * may belong to another tab.
 *
 * @returns false if the browser now loads the page of the right sign-in instead
 */
export function keepStep(step: string | undefined): boolean {
  const kept: unknown = Reflect.get(Object(history.state), 'step');
  if (typeof kept === 'string' && kept !== step) {
    location.replace(`?step=${encodeURIComponent(kept)}`);
    return false;
  }
  history.replaceState({ step }, '');
  return true;
}
