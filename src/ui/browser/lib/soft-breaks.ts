/** Lets long names break at separators instead of in the middle of a word. */
export function addSoftBreaks(): void {
  for (const element of document.querySelectorAll('[data-soft]')) {
    const parts = (element.textContent ?? '').split(/(?<=[_@/])/u);
    if (parts.length < 2) continue;
    element.replaceChildren(
      ...parts.flatMap((part, index) => (index === 0 ? [part] : [document.createElement('wbr'), part])),
    );
  }
}
