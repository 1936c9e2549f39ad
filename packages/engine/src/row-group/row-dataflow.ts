/** The cells of a row by position, and which wait for which. */
export interface Dataflow {
  /** For each cell, the cells that wait for it. */
  readonly dependents: readonly (readonly number[])[];
  /** For each cell, how many cells it waits for. */
  readonly needs: readonly number[];
}

/**
 * Makes the cells of one row, each as soon as the cells it reads are made; cells that return at once create no promise.
 * Resolves once nothing is running, with whether all cells were made: where `make` returns false, the cells that read it
 * are not started. Rejects with the first failure, after which no further cell starts.
 */
export function runDataflow(
  { dependents, needs }: Dataflow,
  make: (cell: number) => boolean | Promise<boolean>,
): boolean | Promise<boolean> {
  const missing = [...needs];
  const ready: number[] = [];
  let started = 0;
  let left = needs.length;
  let running = 0;
  let failed = false;
  let later: PromiseWithResolvers<boolean> | undefined;

  const settle = (cell: number, isMade: boolean): void => {
    if (!isMade) return;
    left--;
    for (const dependent of dependents[cell] ?? []) {
      const before = missing[dependent] ?? 0;
      missing[dependent] = before - 1;
      if (before === 1) ready.push(dependent);
    }
  };
  const fail = (failure: unknown): void => {
    if (failed) return;
    failed = true;
    later?.reject(failure);
  };
  const settleLater = (cell: number, isMade: boolean): void => {
    if (failed) return;
    running--;
    settle(cell, isMade);
    try {
      startReady();
    } catch (failure) {
      return fail(failure);
    }
    if (running === 0) later?.resolve(left === 0);
  };
  const startReady = (): void => {
    for (let cell = ready[started]; cell !== undefined; cell = ready[started]) {
      started++;
      const made = make(cell);
      if (typeof made === 'boolean') {
        settle(cell, made);
        continue;
      }
      running++;
      later ??= Promise.withResolvers();
      const current = cell;
      made.then((isMade) => settleLater(current, isMade), fail);
    }
  };

  needs.forEach((count, cell) => {
    if (count === 0) ready.push(cell);
  });
  try {
    startReady();
  } catch (failure) {
    // Running cells are not awaited, and start nothing more.
    failed = true;
    throw failure;
  }
  return later && running > 0 ? later.promise : left === 0;
}
