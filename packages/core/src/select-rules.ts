/** No two accepted rows are duplicates by this rule. */
export type UniqueRule =
  | {
      /** Equal texts after normalising. */
      readonly kind: 'exact';
      readonly columns: readonly string[];
    }
  | {
      /** Texts that share most of their shingles. */
      readonly kind: 'minhash';
      readonly columns: readonly string[];
      /** The smallest Jaccard similarity of two duplicates. */
      readonly threshold: number;
    }
  | {
      /** Vectors that point in almost the same direction. */
      readonly kind: 'embedding';
      readonly column: string;
      /** The smallest cosine of two duplicates. */
      readonly threshold: number;
    };

/** No accepted row contains an item of a benchmark. */
export interface NotInRule {
  /** The benchmark files. */
  readonly files: readonly string[];
  /** The columns of the dataset to compare with them. */
  readonly columns: readonly string[];
  /** Tokens of an n-gram. */
  readonly ngram: number;
  /** The smallest share of an item's tokens that a contaminated row contains. */
  readonly share: number;
}

/** No value of a column has more than a share of the accepted rows. */
export interface BalanceRule {
  readonly column: string;
  readonly maxShare: number;
}

/** The rules that accept and refuse rows, as plain data. A `where` condition reaches the selector as a refusal. */
export interface SelectRules {
  readonly unique: readonly UniqueRule[];
  /** Folders of other datasets whose rows must not be duplicated either. */
  readonly uniqueAgainst: readonly string[];
  readonly notIn?: NotInRule;
  readonly balance?: BalanceRule;
}
