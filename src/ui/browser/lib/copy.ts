import { announce } from './announce.ts';
import { texts } from './texts.ts';

const shownMs = 2000;

async function copy(button: HTMLButtonElement): Promise<void> {
  const text = document.getElementById(button.dataset.copy ?? '')?.textContent ?? '';
  try {
    await navigator.clipboard.writeText(text);
    button.classList.add('is-copied');
    announce(texts.copied);
  } catch {
    announce(texts.notCopied);
  }
  setTimeout(() => {
    button.classList.remove('is-copied');
    announce('');
  }, shownMs);
}

/** Enables every copy button of the page. The buttons stay hidden if the browser has no clipboard API. */
export function enableCopying(): void {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', () => void copy(button));
  }
}
