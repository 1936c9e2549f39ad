import type { ArrowField } from './arrow-type.ts';
import type { ColumnData, Finding, Surroundings, TemplateEngine } from './column-type.ts';
import type { UserFunction } from './functions.ts';
import type { Row } from './value.ts';

/** What every processor's declaration has, whatever its type. */
export interface ProcessorConfig {
  /** Also the name of what it writes. */
  readonly name: string;
  readonly processorType: string;
}

/**
 * When a processor works: on the seed and sampled columns of a row group before its rows open, on the rows of a group
 * before they are written, or once on all that was written.
 */
export type ProcessorStage = 'pre_batch' | 'post_batch' | 'after_generation';

/** Rows in memory, column by column, under the fields of the written table. */
export interface Batch {
  readonly fields: readonly ArrowField[];
  readonly columns: ReadonlyMap<string, ColumnData>;
  readonly rows: number;
}

/** A table that a processor makes row for row, beside the main one, which it leaves as it is. */
export interface BesideTable<Config> {
  readonly fields: (config: Config) => readonly ArrowField[];
  /** The columns that its rows are made of, those that need not be there included. */
  readonly reads: (config: Config) => readonly string[];
  /** Given the config once a thread, gives the maker of a row; `random` is the row's own. */
  readonly row: (config: Config, templates: TemplateEngine) => (record: Row, random: () => number) => Row;
}

/** What a kind of processor does; given its declaration, which its schema has accepted. */
export interface ProcessorType<Config, Schema = unknown> {
  /** Its `processor_type`. */
  readonly type: string;
  readonly schema: Schema;
  readonly stage: ProcessorStage | ((config: Config) => ProcessorStage);
  /** Whether it takes a column out of the written table. */
  readonly drops?: (config: Config, column: string) => boolean;
  readonly beside?: BesideTable<Config>;
  /**
   * The function that is given rows and gives rows of the same columns. One that the declaration holds is called where it
   * belongs; any other is made once a thread and called there, so what it gives may depend on the rows alone.
   */
  readonly process?: (config: Config) => UserFunction;
  /** What is wrong with a declaration beyond its schema; a field is a path within it. */
  readonly check?: (config: Config, dataset: Surroundings) => readonly Finding[];
}
