/**
 * Keeps a page with its own sign-in: the server shows the newest one, which after a reload may be one of another tab.
 *
 * @returns false if the browser goes to the page of the right sign-in now
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
