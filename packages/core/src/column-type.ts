import type { ArrowField } from './arrow-type.ts';
import type { ChatMessage } from './message.ts';
import type { Random } from './random.ts';
import type { CellValue, Row } from './value.ts';

/** What every column's declaration has, whatever its type. */
export interface ColumnConfig {
  readonly name: string;
  readonly columnType: string;
  readonly drop: boolean;
}

/** One question to a model: a whole conversation, tools and corrections included, that ends in a parsed answer. */
export interface Question<Answer> {
  readonly modelAlias: string;
  readonly toolAlias?: string | undefined;
  /** Called once admitted, so that waiting rows hold no rendered text. */
  readonly prompt: () => string;
  readonly systemPrompt?: (() => string) | undefined;
  /** Turns the trimmed answer into the cell's value; a `ParseFailure` lets the model correct itself. */
  readonly parse: (text: string) => Answer;
}

/** The answer to a question, with the final conversation it came from. */
export interface Answered<Answer> {
  readonly value: Answer;
  readonly messages: readonly ChatMessage[];
}

/** Thrown by a parser when the model's answer is not what was asked for; the message goes back to the model. */
export class ParseFailure extends Error {
  override readonly name = 'ParseFailure';
}

/** All that the maker of one cell may use. A cell may depend on nothing else, so that a replay asks the same. */
export interface Cell {
  /** The cells that the column reads, by name. */
  readonly row: Row;
  readonly rowIndex: number;
  /** Randomness at (column, row). */
  readonly random: Random;
  readonly signal: AbortSignal;
  ask<Answer>(question: Question<Answer>): Promise<Answered<Answer>>;
}

/** Rows `firstRow` to `firstRow + rows - 1` of a dataset. */
export interface RowRange {
  readonly firstRow: number;
  readonly rows: number;
}

/** Values of the written columns for one row, in the order of `writes`. */
export type Written = readonly CellValue[];

/** The values of one column over the rows of a group; typed arrays where no value is null. */
export type ColumnData = readonly CellValue[] | Float64Array | Int32Array | BigInt64Array;

/**
 * How cells come to be. Each is given the column's config once a thread, where templates and schemas are compiled,
 * and returns the function that is called for every cell, group or range.
 */
export type Making<Config> =
  /** One row at a time, from the cells it reads. */
  | { readonly cell: (config: Config) => (cell: Cell) => Written | Promise<Written> }
  /** All rows of a group at once; a barrier of that group. One `Written` per row. */
  | { readonly group: (config: Config) => (rows: readonly Cell[]) => Promise<readonly Written[]> }
  /** Local and columnar: one array of values per written column, from the columns of the group filled before. */
  | {
      readonly fill: (
        config: Config,
      ) => (range: RowRange, random: Random, columns: ReadonlyMap<string, ColumnData>) => readonly ColumnData[];
    };

/** A column that a cell reads, and the field of the declaration that names it. */
export interface Reference {
  readonly name: string;
  readonly field: string;
  /** The name also means something where there is no column of it, as `range` does in templates. */
  readonly optional?: boolean;
}

/** The names of what a column pays for. */
export interface Spending {
  readonly models: readonly string[];
  readonly tools: readonly string[];
}

/**
 * A kind of column: how it is declared, what it reads and writes, and how its cells are made. What the engine must
 * know of a kind is a member here; no shared code asks which kind it is. `schema` belongs to the config floor.
 */
export type ColumnType<Config extends ColumnConfig = ColumnConfig, Schema = unknown> = Making<Config> & {
  readonly type: string;
  readonly schema: Schema;
  /** The columns a cell reads; throws `template/*` failures for templates that cannot be used. */
  readonly reads: (config: Config) => readonly Reference[];
  /** The Arrow fields it writes, its own first, then side effects such as `{name}__trace`. */
  readonly writes: (config: Config) => readonly ArrowField[];
  readonly spends?: (config: Config) => Spending;
};
