/** The rows to show, and in which order; an empty filter is all rows in their order. */
export interface Filter {
  /** All of them must hold. */
  readonly where?: readonly Condition[];
  /** Text that a value of any column contains, without regard to case. */
  readonly search?: string;
  /** A SQL condition over the columns, such as `score > 3 AND topic LIKE 'a%'`. */
  readonly sql?: string;
  /** Rows for which this model alias was asked: those with a value in one of its columns. */
  readonly model?: string;
  /** Rows with a stored conversation that calls this tool. */
  readonly tool?: string;
  /** Rows with a stored conversation in which a call of this tool failed. */
  readonly failedTool?: string;
  readonly sort?: readonly { readonly column: string; readonly descending: boolean }[];
  /** Rows by their review. */
  readonly review?: 'accept' | 'reject' | 'edit' | 'reviewed' | 'stale' | 'none';
}

/** A condition on a column; `path` leads to a member of a struct, such as a judge's score. */
export type Condition = { readonly column: string; readonly path?: readonly string[] } & (
  | {
      readonly op: 'equals' | 'not' | 'less' | 'at-most' | 'more' | 'at-least';
      readonly value: string | number | boolean;
    }
  | { readonly op: 'one-of'; readonly values: readonly (string | number | boolean)[] }
  /** `low` included, `high` excluded unless `isLast`. Dates and times as ISO text. */
  | {
      readonly op: 'between' | 'length';
      readonly low: number | string;
      readonly high: number | string;
      readonly isLast?: boolean;
    }
  /** Times from `low` on and before `high`, which may be open; ISO text in UTC. Texts count as the times that they name. */
  | { readonly op: 'dates'; readonly low: string; readonly high: string | null }
  /** Text, or nested data as JSON text, without regard to case. */
  | { readonly op: 'contains'; readonly text: string }
  /** A regular expression of RE2. */
  | { readonly op: 'matches'; readonly text: string }
  | { readonly op: 'null' | 'not-null' }
);
