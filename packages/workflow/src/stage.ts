import type { SelectDeclaration, StructuredValue } from '@data-designer/config';
import type { DataDesignerConfigBuilder, Declared, OptionsOf, RecordOf, StopOptions } from '@data-designer/declaration';
import type { InputOptions, ReshapedRow } from './inputs/stage-inputs.ts';
import type { WorkflowEvent } from './workflow-event.ts';

/** A function over the rows of a stage: an async generator, or a function that returns rows. */
export type MapRows<Row = never, Mapped = object> = (
  rows: AsyncIterable<Row>,
) => AsyncIterable<Mapped> | Iterable<Mapped> | Promise<AsyncIterable<Mapped> | Iterable<Mapped>>;

/** How the input of a stage is made, and how many rows it has. */
export interface StageInputOptions<Name extends string = string> extends InputOptions {
  /** Rows of the stage; default: as many as its input has, 10 without input. */
  readonly rows?: number;
  /** The stage, or stages, whose output it reads; default: the stage before it. An empty list: none. */
  readonly from?: Name | readonly Name[];
  /** Which of the rows the stage keeps, as `select` of its config. */
  readonly select?: SelectDeclaration;
  /** The schema of the rows that `map` returns, of zod or another library; default: the columns of the stage. */
  readonly outputFormat?: object;
  /** Whether `map` may return no rows; the stages that read them are then skipped. Default false. */
  readonly allowEmpty?: boolean;
}

/** The options of a stage. */
export interface StageOptions<Name extends string = string> extends StageInputOptions<Name> {
  /** Changes the rows that the stage has made, before later stages and the results read them; its dataset stays as it is. */
  readonly map?: MapRows;
}

/** The input of a stage, from which its config starts. */
export interface StageInput<Row = Record<string, unknown>> {
  /** The names of its columns. */
  readonly columns: readonly string[];
  /** A config whose seed is the input, with the models and tools of the stages that it reads and no columns. */
  readonly builder: () => DataDesignerConfigBuilder<Row>;
}

/** A config, or a function that makes one from the input of the stage. */
export type StageConfig<Row, D extends Declared> = D | ((from: StageInput<Row>) => D | Promise<D>);

/** A declared stage. */
export interface DeclaredStage {
  readonly name: string;
  readonly config: StageConfig<never, Declared>;
  readonly options: StageOptions;
}

/** A stage in the order in which the stages are made. */
export interface Stage extends DeclaredStage {
  readonly index: number;
  /** The stages whose output it reads. */
  readonly dependsOn: readonly string[];
  /** The name of its folder. */
  readonly folder: string;
}

/** The options of a workflow's run. */
export interface WorkflowRunOptions extends StopOptions, OptionsOf<'run'> {
  /** Called with the events of the workflow and of its runs; must not throw. */
  readonly onEvent?: (event: WorkflowEvent) => void;
}

type Flat<Row> = { [Key in keyof Row]: Row[Key] };

type Merged<Rows> = (Rows extends unknown ? (row: Rows) => void : never) extends (row: infer All) => void ? All : never;

/** The rows that the stages of `from` hand over, joined; without it, those of the stage before. */
type FromRow<Row, Stages, Options> = Options extends { readonly from: infer Names }
  ? Names extends readonly []
    ? Record<string, unknown>
    : Names extends readonly (infer Name extends keyof Stages)[]
      ? Flat<Merged<Stages[Name]>>
      : Names extends keyof Stages
        ? Stages[Names]
        : never
  : Row;

/** The rows of a stage's input: the output of the stages that it reads, joined, then expanded or grouped. */
export type InputRow<Row, Stages, Options> = ReshapedRow<FromRow<Row, Stages, Options>, Options>;

/** The rows of a stage. */
export type StageRow<D> = RecordOf<D>;

/** The rows that a stage hands over: those of `outputFormat`, or its own. */
export type OutputRow<Row, Options> = Options extends { readonly outputFormat: infer Format }
  ? StructuredValue<Format>
  : Row;
