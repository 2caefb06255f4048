/** Removes pictures that fail to load, so that the initials below them become visible. */
export function dropBrokenPictures(): void {
  for (const picture of document.querySelectorAll<HTMLImageElement>('.avatar > img')) {
    picture.addEventListener('error', () => picture.remove());
    if (picture.complete && picture.naturalWidth === 0) picture.remove();
  }
}
