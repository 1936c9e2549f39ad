/** Consecutive lines of a part. */
export interface Lines {
  readonly part: string | undefined;
  readonly bytes: Uint8Array;
  /** Where each line ends in `bytes`. */
  readonly ends: readonly number[];
}
