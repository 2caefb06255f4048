const key = 'authsvc.notice';

/** Leaves a sentence for the next page, which says what was just done. */
export function leaveNotice(text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // A browser that keeps nothing: the next page says nothing of it.
  }
}

/** Shows what the page before left, unless the service itself has something to say; it is shown once. */
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
