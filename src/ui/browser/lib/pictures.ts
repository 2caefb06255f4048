/** Removes pictures that do not load, so that the initials below them are visible. */
export function dropBrokenPictures(): void {
  for (const picture of document.querySelectorAll<HTMLImageElement>('.avatar > img')) {
    picture.addEventListener('error', () => picture.remove());
    if (picture.complete && picture.naturalWidth === 0) picture.remove();
  }
}
