import { z } from 'zod';
import type { OptionRule } from '@data-designer/config';
import type { ArrowField, CellValue } from '@data-designer/core';

/** A row of a stage. */
export type StageRow = Readonly<Record<string, CellValue>>;

/** The columns of rows on their way from stages to the input of another. */
export interface StageColumns {
  readonly stage: string;
  readonly fields: readonly ArrowField[];
  readonly origins: Origins;
}

/** The stage that has made the values of each column, by the name of the column. */
export type Origins = ReadonlyMap<string, string>;

/** A stage that another one reads, as it is declared. */
interface ReadStage {
  readonly name: string;
  readonly options: { readonly map?: unknown };
}

/** Rows on that way: an output that a stage reads, or what a kind has made of it. */
export interface StageRows extends StageColumns {
  readonly records: () => AsyncIterable<Record<string, CellValue>>;
  /** The folder of its dataset, whose reviews may apply; absent for other rows than those of the dataset. */
  readonly reviewed?: string;
  /** Their number; of rows that a kind makes, once they are read. */
  readonly rows: number;
}

/** Rows that a kind makes, which are read only if they are not there from an earlier run. */
export interface MadeRows extends Pick<StageRows, 'records'> {
  /** Their number, if it is known before. */
  readonly rows?: number;
  /** A hash of what they follow from beside the option and the rows that they are made of. */
  readonly basis?: string;
}

/** What the user should know of the rows of an input. */
export interface InputFinding {
  /** In one sentence without a period. */
  readonly message: string;
  /** The same for programs, in JSON. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** At least one. */
export type Several<One> = readonly [One, ...One[]];

/** A stage while its input is made. */
export interface InputContext {
  /** The failure of the workflow for a reason that only its rows show. */
  readonly fail: (reason: string) => Error;
  /** Reports what the user should know of these rows; complete after the last row. */
  readonly report: (finding: InputFinding) => void;
}

/** How the number of rows follows from that of the input. */
interface RowForecast {
  /** The power of the input's rows by which they grow; 1 unless given. */
  readonly growth?: number;
  /** What the rows do, as in `12 rows of 'a' <verb> 30 <noun>`. */
  readonly verb: string;
  readonly noun: string;
  /** A further part of the sentence. */
  readonly note?: string;
}

/**
 * A way to make the input of a stage from the rows of those that it reads, declared by one option of the stage. The kinds in
 * `stage-inputs.ts` apply in their order.
 */
export interface InputKind<Value> {
  /** The option of the stage, in files and programs. */
  readonly name: string;
  /** Its value in the file of a workflow. */
  readonly schema: z.ZodType;
  /** Its value in a program. */
  readonly rule: OptionRule;
  /** Kinds with the same step exclude each other. */
  readonly step: 'review' | 'join' | 'reshape';
  /** Whether it makes one input of several. */
  readonly joins?: boolean;
  /** Whether rows that are added behind those of its input come behind its own. */
  readonly addsBehind?: boolean;
  /** Whether a preview leaves it out. */
  readonly isForRuns?: boolean;
  /** Why a stage that reads these cannot have it, by their declarations. */
  readonly check?: (value: Value, reads: readonly ReadStage[]) => string | undefined;
  /** The columns of its rows; a text says why they cannot be made. */
  readonly shape: (value: Value, inputs: Several<StageColumns>, stage: string) => Several<StageColumns> | string;
  /** A column of an input that is not known yet, as this kind needs it. */
  readonly assume?: (value: Value, column: ArrowField) => ArrowField;
  /** Makes the rows of these columns, in the same order; reads none of them before the first is asked for. */
  readonly make: (value: Value, inputs: Several<StageRows>, context: InputContext) => Promise<Several<MadeRows>>;
  /** How many rows it makes of all, from a sample of its input; absent where their number stays as it is. */
  readonly forecast?: (value: Value, sample: StageRows) => Promise<RowForecast>;
  /** Why there is no row. */
  readonly noRows: (value: Value, from: string) => string;
}

/** A kind as a stage uses it, with the value of its option. */
export interface GivenInput extends Pick<InputKind<unknown>, 'name' | 'step' | 'joins' | 'addsBehind'> {
  readonly value: unknown;
  readonly check: (reads: readonly ReadStage[]) => string | undefined;
  readonly shape: (inputs: Several<StageColumns>, stage: string) => Several<StageColumns> | string;
  readonly assume: (column: ArrowField) => ArrowField;
  readonly make: (inputs: Several<StageRows>, context: InputContext) => Promise<Several<MadeRows>>;
  readonly forecast: (sample: StageRows) => Promise<RowForecast | undefined>;
  readonly noRows: (from: string) => string;
}

/** A kind in the list of all. */
export interface DefinedInput extends Pick<InputKind<unknown>, 'name' | 'schema' | 'rule' | 'step' | 'isForRuns'> {
  /** The kind with the value in the options of a stage; undefined without one. */
  readonly of: (options: object) => GivenInput | undefined;
}

/** Defines a kind; its schema and its rule accept the values of `Value` only. */
export function defineInput<Value>(kind: InputKind<Value>): DefinedInput {
  return {
    ...kind,
    of: (options) => {
      const { [kind.name]: given } = options as Readonly<Record<string, Value | undefined>>;
      return given === undefined ? undefined : bind(kind, given);
    },
  };
}

function bind<Value>(kind: InputKind<Value>, value: Value): GivenInput {
  return {
    ...kind,
    value,
    check: (reads) => kind.check?.(value, reads),
    shape: (inputs, stage) => kind.shape(value, inputs, stage),
    assume: (column) => kind.assume?.(value, column) ?? column,
    make: (inputs, context) => kind.make(value, inputs, context),
    forecast: async (sample) => kind.forecast?.(value, sample),
    noRows: (from) => kind.noRows(value, from),
  };
}

/** One column or several. */
export const oneOrMore = z.union([z.string(), z.array(z.string()).min(1)]);

/** Why a column that an option names is missing. */
export function noColumn(option: string, name: string, { fields }: StageColumns): string {
  return `${option}: the stage before has no column '${name}'; its columns: ${fields.map((one) => one.name).join(', ')}`;
}
