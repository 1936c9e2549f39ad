/** How far a selection is. */
export interface SelectionState {
  readonly wanted: number;
  readonly accepted: number;
  /** The candidates that are decided. */
  readonly decided: number;
  /** The most candidates. */
  readonly most: number;
}

/** The candidates of the first step: enough to learn the share of accepted rows. */
const FIRST_CANDIDATES = 1000;
/** Without an accepted row among this many candidates, a run stops. */
export const HOPELESS_CANDIDATES = 1000;
/** With fewer missing rows than this the next step is to be the last. */
const FEW_MISSING = 50;

/**
 * How many candidates there are to be in all after the next step. As long as many rows are missing, a step makes only
 * candidates that are very likely needed: those that the highest plausible share of accepted rows requires. The lowest
 * plausible share ends the run in few steps once few rows are missing.
 */
export function nextCandidates({ wanted, accepted, decided, most }: SelectionState): number {
  const missing = wanted - accepted;
  if (decided === 0) return Math.min(wanted, FIRST_CANDIDATES, most);
  const { low, high } = wilsonInterval(accepted, decided);
  const isLast = missing <= Math.max(FEW_MISSING, wanted / 100);
  const share = isLast ? low : high;
  // With hardly an accepted row the lowest share says nothing: double what there is.
  const further = Math.min(Math.ceil(missing / share), Math.max(2 * decided, missing));
  return Math.min(most, decided + Math.max(1, further));
}

/** The two-sided 95 % quantile of the normal distribution. */
const Z = 1.96;

/** The 95 % interval of a share of which a sample is known (Wilson). */
export function wilsonInterval(successes: number, trials: number): { readonly low: number; readonly high: number } {
  const share = successes / trials;
  const spread = Z * Math.sqrt((share * (1 - share)) / trials + Z ** 2 / (4 * trials ** 2));
  const scale = 1 + Z ** 2 / trials;
  const middle = share + Z ** 2 / (2 * trials);
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) };
}
