import type { Refusal } from './verdict.ts';

/** One row under one unique rule. `keys` find rows that may be duplicates, `values` confirm that they are. */
export type Signature =
  /** 128 bits of the normalised text, under the rule `exact` and for short texts under `minhash`. */
  | { readonly kind: 'text'; readonly keys: Uint32Array }
  /**
   * MinHash band keys, and the sorted distinct hashes of the shingles. With n shingles, 32 bits change the similarity of
   * a pair by n / 2^33 on average: below the four digits that count up to a million shingles.
   */
  | { readonly kind: 'shingles'; readonly keys: Uint32Array; readonly values: Uint32Array }
  /** The signs of hyperplanes, 32 to a word, and the vector at length 1. */
  | { readonly kind: 'vector'; readonly keys: Uint32Array; readonly values: Float32Array };

/** What the selector must know of a row that no rule on single rows refuses. */
export interface Features {
  readonly kind: 'features';
  /** One signature for each unique rule; undefined if the row has no text or no vector there. */
  readonly unique: readonly (Signature | undefined)[];
  /** The value of the balanced column, as text. */
  readonly balance?: string;
}

/** A row as the selector sees it: its features, or the reason why it is refused whatever the other rows are. */
export type Candidate = Features | Refusal;
