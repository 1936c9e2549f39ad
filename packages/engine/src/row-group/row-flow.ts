/** What a row goes through: cells that wait for others, by position. */
export interface FlowPlan {
  /** For each cell, the cells that wait for it. */
  readonly dependents: readonly (readonly number[])[];
  /** For each cell, how many it waits for. */
  readonly needs: readonly number[];
}

/**
 * Makes the cells of one row, each as soon as what it reads is there. Resolves when all are made; rejects with the
 * first failure, after which no further cell is started.
 */
export function flowRow({ dependents, needs }: FlowPlan, make: (cell: number) => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const waiting = [...needs];
    let left = waiting.length;
    let failed = false;
    if (left === 0) resolve();
    const start = (cell: number): void => {
      make(cell).then(
        () => {
          if (failed) return;
          if (--left === 0) resolve();
          for (const dependent of dependents[cell] ?? []) {
            waiting[dependent] = (waiting[dependent] as number) - 1;
            if (waiting[dependent] === 0) start(dependent);
          }
        },
        (failure: unknown) => {
          failed = true;
          reject(failure);
        },
      );
    };
    needs.forEach((count, cell) => {
      if (count === 0) start(cell);
    });
  });
}
