/** Positions from `first` to `last`. */
export interface PositionRun {
  readonly first: number;
  readonly last: number;
}

/** Ascending positions as runs; `gap` positions may be missing within a run. */
export function runsOf(positions: readonly number[], gap = 0): readonly PositionRun[] {
  const runs: { first: number; last: number }[] = [];
  for (const position of positions) {
    const run = runs.at(-1);
    if (run && position <= run.last + 1 + gap) run.last = position;
    else runs.push({ first: position, last: position });
  }
  return runs;
}
