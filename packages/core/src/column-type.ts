import type { ArrowField } from './arrow-type.ts';
import type { Cell, Shortfall } from './cell.ts';
import type { DataDesignerError } from './errors.ts';
import type { Random } from './random.ts';
import type { ValueType } from './value-type.ts';
import type { CellValue } from './value.ts';
import type { Violation } from './violation.ts';

/** When to skip a cell, and its value then. */
export interface SkipRule {
  /** A template over other columns; the cell is skipped if it is true. */
  readonly when: string;
  /** The value of a skipped cell. */
  readonly value: CellValue;
}

/** The fields of every column declaration. */
export interface ColumnConfig {
  /** The name of the column. */
  readonly name: string;
  /** The `column_type`. */
  readonly columnType: string;
  /** Whether the column is left out of the dataset. */
  readonly drop: boolean;
  /** The rule that skips its cells; null without one. */
  readonly skip: SkipRule | null;
  /** Whether to skip the cell if a column that it reads was skipped. */
  readonly propagateSkip: boolean;
  /** What happens to a row whose cell fails; dropped by default. */
  readonly onFailure?: OnFailure | undefined;
  /** `json` if files store its cells as JSON text. */
  readonly storageEncoding?: 'json' | undefined;
}

/** After a failed cell: drop the row, continue with null in the cell and its side effects, or end the run. */
export type OnFailure = 'drop_row' | 'null' | 'abort';

/** Rows `firstRow` to `firstRow + rows - 1` of a dataset. */
export interface RowRange {
  readonly firstRow: number;
  readonly rows: number;
}

/** Values of the written columns for one row, in the order of `writes`. */
export type WrittenValues = readonly CellValue[];

/** The result for one row of a group column; a failure concerns the cell of this row alone. */
export type WrittenRow = WrittenValues | DataDesignerError | Shortfall;

/** The values of one column over a row group; a typed array if no value is null. */
export type ColumnData = readonly CellValue[] | Float64Array | Int32Array | BigInt64Array;

/** The columns of a row range that were filled before the current one. */
export interface GroupColumns {
  /** Their values as written. */
  readonly written: ReadonlyMap<string, ColumnData>;
  /** Names of the columns whose integral numbers are floats. */
  readonly floats: ReadonlySet<string>;
  /** Time columns, which are written as text: seconds since 1970. */
  readonly times: ReadonlyMap<string, Float64Array>;
  /** The corresponding rows of input tables, by table and column. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, ColumnData>>;
}

/** Rows without a value, by position in the range, and the failure. */
export interface UnfilledRows {
  readonly positions: readonly number[];
  readonly failure: DataDesignerError;
}

/** A column over a range of rows. */
export interface FilledColumn {
  /** One array of values per written field, in the order of `writes`. */
  readonly written: readonly ColumnData[];
  /** For a time column, whose values are written as text: seconds since 1970. */
  readonly times?: Float64Array;
  /** Lost rows; their values are ignored. */
  readonly unfilled?: readonly UnfilledRows[];
}

/**
 * How a column type makes cells. Each maker is called once per thread with the column's config, compiles templates and
 * schemas, and returns the function for every cell, group or range.
 */
export type CellMaking<Config> =
  /** One row at a time, from the cells it reads. */
  | { readonly cell: (config: Config, setting: Setting) => (cell: Cell) => WrittenValues | Promise<WrittenValues> }
  /** All rows of a group at once, with one result per row; the group waits for it. */
  | { readonly group: (config: Config, setting: Setting) => (rows: readonly Cell[]) => Promise<readonly WrittenRow[]> }
  /** A range of rows at once, without requests, from columns filled before. */
  | {
      readonly fill: (
        config: Config,
        setting: Setting,
      ) => (range: RowRange, random: Random, columns: GroupColumns) => FilledColumn;
    }
  /** One row or one group at a time, depending on the config. */
  | { readonly made: (config: Config, setting: Setting) => MadeCells };

/** The maker of one column: by cell, or by group if the rows must be seen together. */
export type MadeCells =
  | { readonly cell: (cell: Cell) => WrittenValues | Promise<WrittenValues> }
  | { readonly group: (rows: readonly Cell[]) => Promise<readonly WrittenRow[]> };

/** The template engine: in a sandbox, or with the full range of Jinja2. */
export type TemplateEngine = 'secure' | 'native';

/** An inequality between the sampled values of a column and a number or another column of the row. */
export interface Constraint {
  readonly targetColumn: string;
  /** <, <=, >, >=. */
  readonly operator: 'lt' | 'le' | 'gt' | 'ge';
  /** A number, or the name of a column. */
  readonly rhs: number | string;
}

/** Settings of a run that all column makers receive. */
export interface Setting {
  /** The template engine. */
  readonly templates: TemplateEngine;
  /** The constraints of all columns. */
  readonly constraints: readonly Constraint[];
  /** False for a column that a config of the Python tool cannot declare: its limits of templates do not apply. */
  readonly isPortable?: false;
}

/** Steps from a declaration down to one of its fields, in camelCase: `['params', 'low']`. */
export type FieldPath = readonly (string | number)[];

/** A column that a cell reads, and the field of the declaration that names it. */
export interface Reference {
  /** The name of the column. */
  readonly name: string;
  /** The field of the declaration that names it. */
  readonly field: FieldPath;
}

/**
 * A template in a declaration; the column reads the columns that it references. A `condition` is written without braces and
 * reads sampled columns only.
 */
export interface DeclaredTemplate {
  /** The text of the template. */
  readonly source: string;
  /** The field of the declaration that has it. */
  readonly field: FieldPath;
  /** How it is used: a `value` may be of any type, and only this tool has such templates. */
  readonly role: 'prompt' | 'system-prompt' | 'expression' | 'value' | 'condition';
  /** Names that it may read although no column has them; none if absent. */
  readonly known?: readonly string[];
  /** A prompt that is the same for all rows is fine, because something else differs. */
  readonly mayBeSame?: boolean;
}

/** All values that a part of a cell may have, such as the options of a score. */
export interface ListedValues {
  /** The names of the members that lead to the part; none for the whole cell. */
  readonly path: readonly string[];
  /** The values of the part, each once. */
  readonly values: readonly CellValue[];
}

/** A mistake that only the column type can find. */
export interface Finding extends Omit<Violation, 'column' | 'path'> {
  /** The field of the declaration with the mistake. */
  readonly field: FieldPath;
}

/** A request for the rows of an installed collection that pass every filter, each once and in random order. */
export interface CollectionRequest {
  /** The id of the table within the run. */
  readonly table: string;
  /** The collection's name: a Parquet file in the home folder, without its extension. */
  readonly collection: string;
  /** The filters; a row must pass all of them. */
  readonly filters: readonly CollectionFilter[];
  /** Required columns. */
  readonly needs: readonly string[];
  /** Optional columns; no others are read. */
  readonly columns: readonly string[];
  /** How to install the collection, as a sentence. */
  readonly install?: string;
}

/** A filter on a collection column: one of several texts, or a number within inclusive bounds. */
export type CollectionFilter =
  | { readonly column: string; readonly oneOf: readonly string[] }
  | { readonly column: string; readonly from: number; readonly to: number };

/** The dataset around a column, for the checks of its type. */
export interface Surroundings extends Setting {
  /** Every readable column, by name. */
  readonly columns: ReadonlyMap<string, ColumnConfig>;
  /** Whether a column of that name exists or may exist, seed columns included, side effects excluded. */
  readonly has: (name: string) => boolean;
  /** The field of a column or side effect; undefined if its type is not known. */
  readonly fieldOf?: (name: string) => ArrowField | undefined;
}

/** What a model generates. */
export type GenerationType = 'chat-completion' | 'embedding' | 'image';

/** A server that a column calls without a key, with a batch of rows per request. */
export interface ServerUse {
  readonly address: string;
  /** The address for messages. */
  readonly shown: string;
  /** The field of the declaration that names it. */
  readonly field: FieldPath;
  /** The number of parallel requests. */
  readonly limit: number;
  /** The time limit of one request. */
  readonly timeoutMs: number;
  readonly maxRetries: number;
  /** The factor by which the wait grows between attempts. */
  readonly backoff: number;
  /** The JSON Schema of an answer; null for any. */
  readonly answerSchema: Readonly<Record<string, unknown>> | null;
}

/** A tool that a column names. */
export interface NamedTool {
  /** The alias of the tool config. */
  readonly alias: string;
  /** The name of the tool, with or without its prefix. */
  readonly tool: string;
  /** The field with the name. */
  readonly field: FieldPath;
  /** The column that has the field, if it is another one. */
  readonly column?: string;
}

/** A query over the states that columns leave. */
export interface StateQuery {
  /** The columns of the states. */
  readonly states: readonly string[];
  /** The text of the query. */
  readonly sql: string;
  /** The name of the check that it belongs to. */
  readonly check: string;
  /** The field with the query. */
  readonly field: FieldPath;
}

/** The models, tools and servers that a column requires. */
export interface Requirements {
  /** Aliases of models. */
  readonly models: readonly string[];
  /** Those of the models that only the environments of its tools ask; none if absent. */
  readonly worldModels?: readonly string[];
  /** Aliases of tools. */
  readonly tools: readonly string[];
  /** The generation types, one of which its models must support; text by default. */
  readonly generationTypes?: readonly GenerationType[];
  /** Whether its answers have a JSON Schema: the run then probes once whether the endpoints enforce one. */
  readonly shaped?: boolean;
  /** The tools that its questions choose of an alias; a question without a choice offers all. */
  readonly toolChoices?: readonly {
    readonly alias: string;
    /** Their names; null where each row has its own. */
    readonly tools: readonly string[] | null;
  }[];
  /** Whether its cells call the tools themselves, by `callTool`. */
  readonly callsTools?: boolean;
  /** Whether its cells may record outcomes of their own work; see `recordOutcome` of `FunctionCell`. */
  readonly recordsOutcomes?: boolean;
  /** The server that its cells call; none by default. */
  readonly server?: ServerUse;
  /** The execution provider that runs its programs, and the field that names it; none by default. */
  readonly programs?: { readonly provider: string; readonly field: FieldPath };
}

/** A written field that holds whole conversations. */
export interface WrittenChat {
  /** The name of the field. */
  readonly field: string;
  /** Aliases of the tools that the assistant may call. */
  readonly tools: readonly string[];
  /** Whether invalid answers and their corrections are among the messages. */
  readonly hasCorrections: boolean;
  /** The column of the messages before those of the field. */
  readonly history?: string | undefined;
  /** The field that says why a conversation ended. */
  readonly end?: string;
}

/** How to display the values of a column that are more than text, numbers or nested data. */
export type ShownAs =
  | { readonly as: 'code'; readonly language: string }
  /** With `ofPrograms`, a verdict says what programs did: their output, errors, time, memory and tests. */
  | { readonly as: 'verdict'; readonly ofPrograms?: boolean }
  | { readonly as: 'scores' | 'pictures' | 'seed' | 'conversation' };

/** How statistics describe the values of a column: by their spread, by the frequency of each value, or by neither. */
export type Distribution = 'numerical' | 'categorical' | 'text' | 'other';

/** The largest number of different values of a column, by its name; undefined if it is not known. */
export type ChoicesOf = (column: string) => number | undefined;

/**
 * A column type: its schema, the columns that it reads, the fields that it writes, and one of the functions of `CellMaking`,
 * which make the cells.
 */
export type ColumnType<
  Config extends ColumnConfig = ColumnConfig,
  Schema = unknown,
  Row = unknown,
> = CellMaking<Config> & {
  /** Its `column_type`. */
  readonly type: string;
  /** The zod schema of the declaration; begin it with `columnFields`. */
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
  /**
   * The largest number of different values in its cells, without that of skipped ones; undefined if that is not known from
   * the config. `choicesOf` gives the same of another column.
   */
  readonly choices?: (config: Config, choicesOf: ChoicesOf) => number | undefined;
  /** The parts of a cell whose values are listed in the config; none by default. */
  readonly listed?: (config: Config) => readonly ListedValues[];
  /** The templates in a declaration. */
  readonly templates?: (config: Config) => readonly DeclaredTemplate[];
  /** The columns that a cell reads in addition to those in its templates. */
  readonly reads?: (config: Config) => readonly Reference[];
  /** The Arrow fields that it writes: its own first, then side effects such as `{name}__trace`. */
  readonly writes: (config: Config) => readonly ArrowField[];
  /** The fields among `writes` that hold whole conversations, for exports; none by default. */
  readonly chats?: (config: Config) => readonly WrittenChat[];
  /** The models, tools and servers that its cells use; none by default. */
  readonly requires?: (config: Config) => Requirements;
  /** The tools that it names, also by the schema of a column that it reads, for the check before a run; none by default. */
  readonly toolNames?: (config: Config, columns: Surroundings['columns']) => readonly NamedTool[];
  /** The queries over states that are the same in every row, for the check before a run; none by default. */
  readonly stateQueries?: (config: Config) => readonly StateQuery[];
  /** The collection rows that it draws from. */
  readonly collections?: (config: Config) => readonly CollectionRequest[];
  /** Its columns represent seed columns, and are removed if the declaration has a seed. */
  readonly ofSeed?: true;
  /**
   * Whether the time and memory of a cell have a small bound: it runs no code and no schema of users, and parses nothing that
   * a model has written. The command line makes small runs of such columns without a worker thread; no effect in a plug-in.
   */
  readonly bounded?: true;
  /** How its values are shown to people. */
  readonly shownAs?: (config: Config) => ShownAs;
  /** Findings beyond the schema, the references and the templates. */
  readonly check?: (config: Config, dataset: Surroundings) => readonly Finding[];
};
