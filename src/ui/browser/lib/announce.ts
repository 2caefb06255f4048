import { get } from './dom.ts';

/** Tells those who listen to the page rather than look at it; an empty text takes back the last one. */
export function announce(text: string): void {
  get('status', HTMLElement).textContent = text;
}
