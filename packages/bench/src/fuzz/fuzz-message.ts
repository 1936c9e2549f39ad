import type { FuzzCase } from './fuzz-target.ts';

/** Work for a reading process: the cases of these numbers, the last left out, or one that is given. */
export type FuzzBatch = { readonly from: number; readonly to: number } | { readonly one: FuzzCase };

/** What is wrong with reading a case: it threw, it took too long, or it took too much memory. */
export interface FuzzFault {
  readonly kind: 'threw' | 'slow' | 'memory';
  /** The number of the case; 0 for one that was given. */
  readonly number: number;
  readonly what: string;
}

/** What came of a batch: how often each outcome, and the fault that ended it. */
export interface FuzzResult {
  readonly outcomes: Readonly<Record<string, number>>;
  readonly fault?: FuzzFault;
}

/** Milliseconds of CPU that reading one case may take, whatever else the machine does. */
export const MAX_CASE_MS = 1000;

/** Milliseconds after which a case that has not ended counts as one that never will. */
export const MAX_HANG_MS = 6000;
