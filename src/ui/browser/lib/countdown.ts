import { spellWait } from '../../spell-wait.ts';

/** Calls `tick` every second with the remaining time in words. At the end, calls it once with undefined. */
export function countDown(seconds: number, tick: (left: string | undefined) => void): void {
  const end = performance.now() + seconds * 1000;
  const step = () => {
    const left = Math.ceil((end - performance.now()) / 1000);
    if (left <= 0) clearInterval(timer);
    tick(left > 0 ? spellWait(left, document.documentElement.lang) : undefined);
  };
  const timer = setInterval(step, 1000);
  step();
}
