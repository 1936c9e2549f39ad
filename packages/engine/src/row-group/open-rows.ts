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
  const lane = async (): Promise<void> => {
    try {
      while (next < count) await work(next++);
    } catch (failure) {
      next = count;
      throw failure;
    }
  };
  await Promise.all(Array.from({ length: Math.min(window, count) }, lane));
}
