import { get } from './dom.ts';

/** Announces a text to screen readers. An empty text clears the previous one. */
export function announce(text: string): void {
  get('status', HTMLElement).textContent = text;
}
