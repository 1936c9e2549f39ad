/** What a row goes through: cells that wait for others, by position. */
export interface FlowPlan {
  /** For each cell, the cells that wait for it. */
  readonly dependents: readonly (readonly number[])[];
  /** For each cell, how many it waits for. */
  readonly needs: readonly number[];
}

/**
 * Makes the cells of one row, each as soon as what it reads is there; of cells that are there at once no promise is made.
 * Gives whether all were made, once nothing is under way; `make` gives false for a cell that is left open, and what reads
 * it is not started. Fails with the first failure, after which no further cell is started.
 */
export function flowRow(
  { dependents, needs }: FlowPlan,
  make: (cell: number) => boolean | Promise<boolean>,
): boolean | Promise<boolean> {
  const waiting = [...needs];
  const ready: number[] = [];
  let started = 0;
  let left = waiting.length;
  let underWay = 0;
  let failed = false;
  let later: PromiseWithResolvers<boolean> | undefined;

  const settle = (cell: number, isMade: boolean): void => {
    if (!isMade) return;
    left--;
    for (const dependent of dependents[cell] ?? []) {
      waiting[dependent] = (waiting[dependent] as number) - 1;
      if (waiting[dependent] === 0) ready.push(dependent);
    }
  };
  const fail = (failure: unknown): void => {
    if (failed) return;
    failed = true;
    later?.reject(failure);
  };
  const takeLater = (cell: number, isMade: boolean): void => {
    if (failed) return;
    underWay--;
    settle(cell, isMade);
    try {
      startReady();
    } catch (failure) {
      return fail(failure);
    }
    if (underWay === 0) later?.resolve(left === 0);
  };
  const startReady = (): void => {
    while (started < ready.length) {
      const cell = ready[started++] as number;
      const made = make(cell);
      if (typeof made === 'boolean') {
        settle(cell, made);
        continue;
      }
      underWay++;
      later ??= Promise.withResolvers();
      made.then((isMade) => takeLater(cell, isMade), fail);
    }
  };

  needs.forEach((count, cell) => {
    if (count === 0) ready.push(cell);
  });
  try {
    startReady();
  } catch (failure) {
    // Those under way are not waited for, and start nothing more.
    failed = true;
    throw failure;
  }
  return later && underWay > 0 ? later.promise : left === 0;
}
