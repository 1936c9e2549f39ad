import type { ArrowField } from './arrow-type.ts';
import type { Cell } from './cell.ts';
import type { DataDesignerError } from './errors.ts';
import type { Random } from './random.ts';
import type { Shortfall } from './shortfall.ts';
import type { ValueType } from './value-type.ts';
import type { CellValue } from './value.ts';
import type { Violation } from './violation.ts';

/** When a column is left out of a row, and what its cell holds then. */
export interface SkipRule {
  /** A template over other columns; the cell is left out where it is true. */
  readonly when: string;
  readonly value: CellValue;
}

/** What every column's declaration has, whatever its type. */
export interface ColumnConfig {
  readonly name: string;
  readonly columnType: string;
  readonly drop: boolean;
  readonly skip: SkipRule | null;
  /** Left out too wherever a column that it reads was left out. */
  readonly propagateSkip: boolean;
  /** What becomes of a row whose cell cannot be made; it is dropped unless given. */
  readonly onFailure?: OnFailure | undefined;
}

/** A row whose cell fails is dropped, goes on with null in the cell and its side effects, or ends the run. */
export type OnFailure = 'drop_row' | 'null' | 'abort';

/** Rows `firstRow` to `firstRow + rows - 1` of a dataset. */
export interface RowRange {
  readonly firstRow: number;
  readonly rows: number;
}

/** Values of the written columns for one row, in the order of `writes`. */
export type Written = readonly CellValue[];

/** What a column that is made for many rows at once gives for one of them; a failure is that of this row's cell alone. */
export type WrittenRow = Written | DataDesignerError | Shortfall;

/** The values of one column over the rows of a group; typed arrays where no value is null. */
export type ColumnData = readonly CellValue[] | Float64Array | Int32Array | BigInt64Array;

/** The columns of a range of rows, as far as they are there when a further one is filled. */
export interface GroupColumns {
  /** Those filled before, as they are written. */
  readonly written: ReadonlyMap<string, ColumnData>;
  /** Names of the columns whose integral numbers are floats. */
  readonly floats: ReadonlySet<string>;
  /** Of these, the ones that are written as text and stand for times: seconds since 1970. */
  readonly times: ReadonlyMap<string, Float64Array>;
  /** The rows that belong to these of tables beside the run: by table, by column. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, ColumnData>>;
}

/** Rows for which a column has no value, by their positions in the range, and why. */
export interface UnfilledRows {
  readonly positions: readonly number[];
  readonly failure: DataDesignerError;
}

/** A column over a range of rows. */
export interface FilledColumn {
  /** One array of values per written field, in the order of `writes`. */
  readonly written: readonly ColumnData[];
  /** What the text that is written stands for, where that is times: seconds since 1970. */
  readonly times?: Float64Array;
  /** These rows are lost, whatever stands in their cells. */
  readonly unfilled?: readonly UnfilledRows[];
}

/**
 * How cells come to be. Each is given the column's config once a thread, where templates and schemas are compiled,
 * and returns the function that is called for every cell, group or range.
 */
export type Making<Config> =
  /** One row at a time, from the cells it reads. */
  | { readonly cell: (config: Config, setting: Setting) => (cell: Cell) => Written | Promise<Written> }
  /** All rows of a group at once; a barrier of that group. One for each row. */
  | { readonly group: (config: Config, setting: Setting) => (rows: readonly Cell[]) => Promise<readonly WrittenRow[]> }
  /** Local and columnar, from the columns of the range filled before. */
  | {
      readonly fill: (
        config: Config,
        setting: Setting,
      ) => (range: RowRange, random: Random, columns: GroupColumns) => FilledColumn;
    }
  /** One row at a time or all rows of a group at once, as the column's config says. */
  | { readonly made: (config: Config, setting: Setting) => MadeCells };

/** How the cells of one column come to be, of all rows at once only where they must be seen together. */
export type MadeCells =
  | { readonly cell: (cell: Cell) => Written | Promise<Written> }
  | { readonly group: (rows: readonly Cell[]) => Promise<readonly WrittenRow[]> };

/** How templates are rendered: behind walls, or as Jinja2 does. */
export type TemplateEngine = 'secure' | 'native';

/** An inequality that the drawn values of a column keep: against a number, or against another column of the row. */
export interface Constraint {
  readonly targetColumn: string;
  /** Below, at most, above, at least. */
  readonly operator: 'lt' | 'le' | 'gt' | 'ge';
  /** A number, or the name of a column. */
  readonly rhs: number | string;
}

/** What a run says about the making of all its columns. */
export interface Setting {
  readonly templates: TemplateEngine;
  /** What drawn values must keep, over all columns. */
  readonly constraints: readonly Constraint[];
  /** The fields of the column as the dataset stores them, where an earlier version began it: its own unless given. */
  readonly writes?: readonly ArrowField[];
}

/** Steps from a declaration down to one of its fields, in camelCase: `['params', 'low']`. */
export type FieldPath = readonly (string | number)[];

/** A column that a cell reads, and the field of the declaration that names it. */
export interface Reference {
  readonly name: string;
  readonly field: FieldPath;
}

/**
 * A template in a declaration; what it names is read. `expression` and `prompt` are rendered; `condition` is written
 * without braces and asked of sampled columns.
 */
export interface DeclaredTemplate {
  readonly source: string;
  readonly field: FieldPath;
  readonly role: 'prompt' | 'system-prompt' | 'expression' | 'condition';
  /** A prompt that asks every row the same is no mistake, since something else differs. */
  readonly mayBeSame?: boolean;
}

/** Something wrong with a column that only its kind can know. */
export interface Finding extends Omit<Violation, 'column' | 'path'> {
  readonly field: FieldPath;
}

/** Rows of an installed collection, each of them once and in random order: those that pass every filter. */
export interface CollectionRequest {
  /** Names the rows among the tables of a run: the column, and what of it. */
  readonly table: string;
  /** The collection's name: a Parquet file of the home folder's collections, without its ending. */
  readonly collection: string;
  readonly filters: readonly CollectionFilter[];
  /** The columns that must be there. */
  readonly needs: readonly string[];
  /** The columns that are used where the collection has them; others stay where they are. */
  readonly columns: readonly string[];
}

/** What a row of a collection must have in a column: one of some texts, or a number within bounds, both included. */
export type CollectionFilter =
  | { readonly column: string; readonly oneOf: readonly string[] }
  | { readonly column: string; readonly from: number; readonly to: number };

/** The dataset around a column, for what only its kind can check. */
export interface Surroundings extends Setting {
  /** Every column that could be read, by name. */
  readonly columns: ReadonlyMap<string, ColumnConfig>;
  /** Whether there is, or could be, a column of that name, seed columns included; side effects do not count. */
  readonly has: (name: string) => boolean;
}

/** What a model makes. */
export type GenerationType = 'chat-completion' | 'embedding' | 'image';

/** A server that a column asks without a key, a batch of rows at a time. */
export interface ServerUse {
  readonly address: string;
  /** The address as messages show it. */
  readonly shown: string;
  /** Where the declaration names it. */
  readonly field: FieldPath;
  /** Requests at a time. */
  readonly limit: number;
  /** What one request may take. */
  readonly timeoutMs: number;
  readonly maxRetries: number;
  /** How many times longer each wait between tries is than the one before. */
  readonly backoff: number;
  /** A JSON Schema that every answer is held against; null for any. */
  readonly answerSchema: Readonly<Record<string, unknown>> | null;
}

/** The names of what a column pays for. */
export interface Spending {
  readonly models: readonly string[];
  readonly tools: readonly string[];
  /** What its models must make, in one of these ways; text unless given. */
  readonly generationTypes?: readonly GenerationType[];
  /** Whether its models could be held to a JSON Schema: their endpoints are then asked, once a run, if they do that. */
  readonly shaped?: boolean;
  /** Whether its cells may do work of their own that is to be kept, as `outside` of a cell says. */
  readonly outside?: boolean;
  readonly server?: ServerUse;
}

/** What the values of a column are to the eye, where that is more than a text, a number or nested data. */
export type ShownAs =
  { readonly as: 'code'; readonly language: string } | { readonly as: 'verdict' | 'scores' | 'pictures' | 'seed' };

/** How statistics describe the values of a column: by their spread, by the frequency of each value, or by neither. */
export type Distribution = 'numerical' | 'categorical' | 'text' | 'other';

/**
 * A column type: its declaration, what its columns read and write, and how their cells are made. Everything that other
 * packages need to know about it is a member, so that they never branch on `type`.
 */
export type ColumnType<Config extends ColumnConfig = ColumnConfig, Schema = unknown, Row = unknown> = Making<Config> & {
  readonly type: string;
  readonly schema: Schema;
  /** The TypeScript type of the record that a column adds to a row; `unknown` under its name if absent. */
  readonly row?: ValueType<Row>;
  /**
   * A declaration for the conformance test. It may read the text column `topic` and the integer column `number`, and name
   * the models `writer`, `vectors` and `painter` and the tools `facts`.
   */
  readonly example?: Readonly<Record<string, unknown>>;
  /** How statistics describe a sampled column; absent if its values are not drawn. */
  readonly distribution?: (config: Config) => Distribution;
  /** The templates in a declaration. */
  readonly templates?: (config: Config) => readonly DeclaredTemplate[];
  /** The columns that a cell reads beside those that its templates name. */
  readonly reads?: (config: Config) => readonly Reference[];
  /** The Arrow fields it writes, its own first, then side effects such as `{name}__trace`. */
  readonly writes: (config: Config) => readonly ArrowField[];
  readonly requires?: (config: Config) => Spending;
  /** The rows of installed collections that it takes its values from. */
  readonly collections?: (config: Config) => readonly CollectionRequest[];
  /** Its columns stand for those of the seed rows, and are taken out where a declaration names both. */
  readonly ofSeed?: true;
  /** How its values are shown to people. */
  readonly shownAs?: (config: Config) => ShownAs;
  /** What is wrong beyond the schema, the references and the templates. */
  readonly check?: (config: Config, dataset: Surroundings) => readonly Finding[];
};
