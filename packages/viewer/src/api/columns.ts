import type { Condition } from './filter.ts';

/** The group of columns that a column belongs to. */
export type ColumnKind = 'seed' | 'sampler' | 'expression' | 'model' | 'judge' | 'validation' | 'trace' | 'other';

/** A column of the table. */
export interface ColumnInfo {
  readonly name: string;
  readonly kind: ColumnKind;
  /** The column that writes it; its own name unless it is a side effect such as `{name}__trace`. */
  readonly of: string;
  /** The `column_type` of that column. */
  readonly columnType: string;
  /** The model aliases that are asked for its values. */
  readonly models: readonly string[];
  /** The type of the values, as text: `utf8`, `list<int64>`, `struct<…>`. */
  readonly type: string;
  readonly isNested: boolean;
  /** The strftime format of its dates; null where none is declared. */
  readonly dateFormat: string | null;
  /** How its values are shown. */
  readonly shown: 'value' | 'conversation' | 'code' | 'verdict' | 'scores' | 'pictures' | 'seed';
  /** Of a verdict: whether it says what programs did. */
  readonly ofPrograms?: boolean;
  /** The language of code. */
  readonly language: string | null;
  /** The operators of `Condition` that apply. */
  readonly operators: readonly Condition['op'][];
  /** Where its values are, if it is a member of another column: a score of a judge. */
  readonly member?: { readonly column: string; readonly path: readonly string[] };
}
