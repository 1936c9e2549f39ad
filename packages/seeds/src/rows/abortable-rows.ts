/** Yields rows until the signal aborts, then throws its reason at once, without waiting for the next row. */
export async function* abortableRows(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  signal: AbortSignal,
): AsyncGenerator {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  // One listener serves all rows; `waiting` is the row that is waited for.
  let waiting: PromiseWithResolvers<IteratorResult<unknown>> | undefined;
  const onAbort = (): void => waiting?.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  let isOver = false;
  try {
    while (!isOver) {
      signal.throwIfAborted();
      waiting = Promise.withResolvers();
      Promise.resolve(iterator.next()).then(waiting.resolve, waiting.reject);
      const { done, value } = await waiting.promise;
      isOver = done === true;
      if (!isOver) yield value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // The iterator may hang: do not wait for its end.
    if (!isOver) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
