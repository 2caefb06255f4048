/** On a phone, the entries of a navigation are one line: moves it so that the entry of this page is visible. */
export function showCurrentEntry(): void {
  const entry = document.querySelector('.navigation [aria-current="page"]');
  entry?.scrollIntoView({ inline: 'center', block: 'nearest' });
}
