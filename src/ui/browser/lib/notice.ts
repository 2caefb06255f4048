const key = 'authsvc.notice';

/** Stores a sentence about what has just happened. The next page shows it. */
export function leaveNotice(text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // Without storage the next page shows no sentence.
  }
}

/**
 * Shows the sentence that the previous page stored, once. If the service shows a message itself, the sentence is dropped.
 */
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
