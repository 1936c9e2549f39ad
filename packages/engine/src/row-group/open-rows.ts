import { setImmediate } from 'node:timers/promises';

/** How long rows may be worked on before the event loop gets its turn: heartbeats and messages need it. */
const BREATH_MS = 250;

/**
 * Works through positions 0 to `count - 1` in order, at most `window` of them open at a time. After a failure no
 * further one is opened.
 */
export async function openRows(
  count: number,
  window: number,
  work: (position: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let breathed = performance.now();
  const lane = async (): Promise<void> => {
    try {
      while (next < count) {
        await work(next++);
        if (performance.now() - breathed < BREATH_MS) continue;
        breathed = performance.now();
        await setImmediate();
      }
    } catch (failure) {
      next = count;
      throw failure;
    }
  };
  await Promise.all(Array.from({ length: Math.min(window, count) }, lane));
}
