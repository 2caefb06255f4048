const key = 'authsvc.notice';

/** Stores a sentence that the next page shows, about what was just done. */
export function leaveNotice(text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // A browser without storage: the next page shows nothing.
  }
}

/** Shows the stored sentence of the page before, once, unless the service itself shows a message. */
export function showNotice(place: HTMLElement): void {
  let text = '';
  try {
    text = sessionStorage.getItem(key) ?? '';
    sessionStorage.removeItem(key);
  } catch {
    return;
  }
  if (text === '' || !place.hidden) return;
  const line = document.createElement('p');
  line.textContent = text;
  place.replaceChildren(line);
  place.hidden = false;
}
