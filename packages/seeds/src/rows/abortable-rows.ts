/** Rows as they come, until a signal is aborted: then its reason is thrown at once, whatever the rows are doing. */
export async function* abortableRows(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  signal: AbortSignal,
): AsyncGenerator {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  // One listener for all rows: what waits for a row changes.
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
    // One that hangs is not waited for.
    if (!isOver) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
