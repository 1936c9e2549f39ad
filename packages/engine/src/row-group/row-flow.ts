/** What a row goes through: cells that wait for others, by position. */
export interface FlowPlan {
  /** For each cell, the cells that wait for it. */
  readonly dependents: readonly (readonly number[])[];
  /** For each cell, how many it waits for. */
  readonly needs: readonly number[];
}

/**
 * Makes the cells of one row, each as soon as what it reads is there. Resolves with whether all were made, once nothing
 * is under way; `make` gives false for a cell that is left open, and what reads it is not started. Rejects with the first
 * failure, after which no further cell is started.
 */
export function flowRow({ dependents, needs }: FlowPlan, make: (cell: number) => Promise<boolean>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const waiting = [...needs];
    let left = waiting.length;
    let underWay = 0;
    let failed = false;
    if (left === 0) resolve(true);
    const startDependents = (cell: number): void => {
      for (const dependent of dependents[cell] ?? []) {
        waiting[dependent] = (waiting[dependent] as number) - 1;
        if (waiting[dependent] === 0) start(dependent);
      }
    };
    const start = (cell: number): void => {
      underWay++;
      make(cell).then(
        (isMade) => {
          if (failed) return;
          underWay--;
          if (isMade) {
            left--;
            startDependents(cell);
          }
          if (underWay === 0) resolve(left === 0);
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
