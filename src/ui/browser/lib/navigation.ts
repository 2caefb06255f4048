/**
 * Scrolls the navigation so that the entry of this page is visible. On a phone, the entries are in one line that scrolls
 * sideways.
 */
export function showCurrentEntry(): void {
  const entry = document.querySelector('.navigation [aria-current="page"]');
  entry?.scrollIntoView({ inline: 'center', block: 'nearest' });
}
