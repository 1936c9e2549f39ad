import type { TouchedItem } from './contamination.ts';

/** Why a row is refused, whatever the other rows are. */
export type Refusal =
  /** The condition `where` is false. */
  | { readonly kind: 'where' }
  /** A cell of the row failed. */
  | { readonly kind: 'lost' }
  /** The row contains an item of a benchmark. */
  | ({ readonly kind: 'benchmark' } & TouchedItem);

/** An accepted row that duplicates the refused one. */
export interface Duplicate {
  readonly kind: 'duplicate';
  /** The index of the accepted row. */
  readonly of: number;
  /** The dataset of the accepted row, if it is another one. */
  readonly folder?: string;
  /** The Jaccard similarity or the cosine, rounded to four digits; 1 for equal texts. */
  readonly similarity: number;
  /** The position of the rule in `unique`, from 0. */
  readonly rule: number;
}

/** Why a row is refused. */
export type Reason =
  | Refusal
  | Duplicate
  /** The value of the balanced column already has its share of the accepted rows. */
  | { readonly kind: 'balance'; readonly value: string };

/** Whether a candidate becomes a row of the dataset. */
export type Verdict = { readonly accepted: true } | { readonly accepted: false; readonly reason: Reason };

/** A reason as text, such as `duplicate of row 1273 (0.87)`. */
export function printReason(reason: Reason): string {
  switch (reason.kind) {
    case 'duplicate': {
      const place = reason.folder === undefined ? '' : ` of ${reason.folder}`;
      return `duplicate of row ${reason.of}${place} (${reason.similarity.toFixed(2)})`;
    }
    case 'benchmark':
      return `benchmark ${reason.file}#${reason.item} (${reason.share.toFixed(2)})`;
    case 'balance':
      return `balance '${reason.value}'`;
    case 'where':
    case 'lost':
      return reason.kind;
  }
}
