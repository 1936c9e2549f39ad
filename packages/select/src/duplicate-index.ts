import type { Signature } from './features.ts';

/** An indexed row that duplicates another. */
export interface Match {
  readonly row: number;
  readonly similarity: number;
}

/** The indexed rows under one unique rule. */
export interface DuplicateIndex extends Disposable {
  /** The lowest row that duplicates a row of this signature. */
  find(signature: Signature): Match | undefined;
  /** Adds a row; rows are added in ascending order. */
  add(signature: Signature, row: number): void;
}
