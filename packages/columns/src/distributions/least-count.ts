/** Where to search: the bounds, the first guess, and the size of the first steps. */
export interface CountSearch {
  readonly lowest: number;
  /** Assumed to satisfy the condition. */
  readonly highest: number;
  readonly guess: number;
  readonly step: number;
}

/** Finds the least integer that satisfies a monotonic condition, with about two evaluations per doubling. */
export function leastCount(holds: (count: number) => boolean, search: CountSearch): number {
  const { lowest, highest } = search;
  const guess = Math.min(highest, Math.max(lowest, Math.round(search.guess)));
  let width = Math.max(1, Math.round(search.step));
  let [fails, succeeds] = [lowest - 1, highest];
  if (guess === highest || holds(guess)) {
    succeeds = guess;
    for (let at = guess - width; at >= lowest; at -= width) {
      if (!holds(at)) {
        fails = at;
        break;
      }
      succeeds = at;
      width *= 2;
    }
  } else {
    fails = guess;
    for (let at = guess + width; at < highest; at += width) {
      if (holds(at)) {
        succeeds = at;
        break;
      }
      fails = at;
      width *= 2;
    }
  }
  return bisected(holds, fails, succeeds);
}

function bisected(holds: (count: number) => boolean, fails: number, succeeds: number): number {
  let low = fails;
  let high = succeeds;
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
