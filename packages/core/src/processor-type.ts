import type { ArrowField } from './arrow-type.ts';
import type { ColumnData, Finding, Surroundings, TemplateEngine } from './column-type.ts';
import type { UserFunction } from './functions.ts';
import type { Row } from './value.ts';

/** The fields of every processor declaration. */
export interface ProcessorConfig {
  /** Also the name of its side table. */
  readonly name: string;
  /** The `processor_type`. */
  readonly processorType: string;
}

/**
 * When a processor runs: on the seed and sampled columns of a row group before its rows start, on the rows of a group
 * before they are written, or once on the whole dataset.
 */
export type ProcessorStage = 'pre_batch' | 'post_batch' | 'after_generation';

/** Rows in memory, column by column, under the fields of the written table. */
export interface Batch {
  readonly fields: readonly ArrowField[];
  readonly columns: ReadonlyMap<string, ColumnData>;
  readonly rows: number;
  /** The number of its first row, where it is a part of a batch. */
  readonly firstRow?: number;
}

/** A side table: a processor writes one row of it for each row of the main table, which stays unchanged. */
export interface SideTable<Config> {
  /** The Arrow fields of the side table; `read` has those of the columns that it may read, by name. */
  readonly fields: (config: Config, read: ReadonlyMap<string, ArrowField>) => readonly ArrowField[];
  /** The columns that its rows read, optional ones included. */
  readonly reads: (config: Config) => readonly string[];
  /** Called once per thread; the returned function makes one row, with the row's own `random`. */
  readonly row: (config: Config, templates: TemplateEngine) => (record: Row, random: () => number) => Row;
}

/** A processor type; its functions receive the parsed declaration. */
export interface ProcessorType<Config, Schema = unknown> {
  /** Its `processor_type`. */
  readonly type: string;
  /** The zod schema of the declaration; begin it with `processorFields`. */
  readonly schema: Schema;
  /** When it runs: a stage, or a function of the declaration. */
  readonly stage: ProcessorStage | ((config: Config) => ProcessorStage);
  /** Whether it drops a column from the written table; its function still receives the column. After the stage `pre_batch` no other column can read it. */
  readonly drops?: (config: Config, column: string) => boolean;
  /** The columns that its function adds, at the stages `pre_batch` and `post_batch`. Those of `pre_batch` can be read as columns of a seed. */
  readonly adds?: (config: Config) => readonly ArrowField[];
  /** The side table that it writes; none by default. */
  readonly sideTable?: SideTable<Config>;
  /**
   * Returns the function that receives rows and returns rows of the same columns and of the added ones. A function from the declaration runs on
   * the thread it belongs to; any other is created once per thread, so its result may depend on the rows alone.
   */
  readonly process?: (config: Config) => UserFunction;
  /** Findings beyond the schema; a field is a path within the declaration. */
  readonly check?: (config: Config, dataset: Surroundings) => readonly Finding[];
}
