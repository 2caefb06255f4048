/** Keeps words with a hyphen, such as sign-in or build-server-7, on one line if there is room. */
export function keepWordsWhole(): void {
  for (const element of document.querySelectorAll('[data-whole]')) {
    const parts = (element.textContent ?? '').split(/((?<!\S)\S+-\S+)/u);
    element.replaceChildren(
      ...parts.map((part, index) => {
        if (index % 2 === 0) return part;
        const word = document.createElement('span');
        word.className = 'whole';
        word.textContent = part;
        return word;
      }),
    );
  }
}
