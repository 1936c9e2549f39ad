import type { DataDesignerConfigBuilder } from '../config-builder.ts';
import type { ResumeMode, StopOptions } from '../data-designer-options.ts';
import type { Declared, RecordOf } from '../declaration/declaration.ts';
import type { RunEvent } from '@data-designer/engine';

/** Rows that become one: those with equal values of `by`. */
export interface GroupOptions {
  /** The column, or columns, whose values a group shares. */
  readonly by: string | readonly string[];
  /** Columns whose values become a list, in the order of the rows. Of the other columns, the group has its first value. */
  readonly collect: readonly string[];
}

/** How the input of a stage is made, and how many rows it has. */
export interface StageOptions {
  /** Rows of the stage; default: as many as its input has, 10 for the first stage. */
  readonly rows?: number;
  /** Makes one input row of each element of this list column; the element replaces the list. */
  readonly expand?: string;
  /** Makes one input row of several rows. */
  readonly group?: GroupOptions;
}

/** The output of an earlier stage, from which the config of a stage starts. */
export interface StageInput<Row = Record<string, unknown>> {
  /** The names of its columns. */
  readonly columns: readonly string[];
  /** A config whose seed is the output, with the models and tools of that stage and no columns. */
  readonly builder: () => DataDesignerConfigBuilder<Row>;
}

/** A config, or a function that makes one from the output of the stage before. */
export type StageConfig<Row, D extends Declared> = D | ((from: StageInput<Row>) => D | Promise<D>);

/** A declared stage. */
export interface Stage {
  readonly name: string;
  readonly config: StageConfig<never, Declared>;
  readonly options: StageOptions;
  readonly index: number;
  /** The stages whose output it reads. */
  readonly dependsOn: readonly string[];
  /** The name of its folder. */
  readonly folder: string;
}

/** The options of a workflow's run. */
export interface WorkflowRunOptions extends StopOptions {
  /**
   * `never`, the default, starts in a new folder. `always` continues the workflow and throws `workflow/changed` for a stage
   * that has changed; `if_possible` makes a changed stage again, and those after it whose input changes with it.
   */
  readonly resume?: ResumeMode;
  /** Re-requests journaled answers whose requests have changed, as in `create`. Default false. */
  readonly rebuy?: boolean;
  /** Rows of the first stage, unless it has `rows`; default 10. */
  readonly numRecords?: number;
  /** The stages to make, with those that they need; default: all. */
  readonly targets?: string | readonly string[];
  /** Makes this stage and all after it again. */
  readonly rerunFrom?: string;
  /** Parquet files that replace the output of stages, by the name of the stage; for this run only. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** Called with the events of the workflow and of its runs; must not throw. */
  readonly onEvent?: (event: WorkflowEvent) => void;
}

/** An event of a stage, or of the run that makes it. */
export type WorkflowEvent =
  | { readonly type: 'stage-start'; readonly stage: string; readonly index: number; readonly rows: number }
  /** The stage is complete and unchanged. */
  | { readonly type: 'stage-reuse'; readonly stage: string; readonly index: number; readonly rows: number }
  /** The stage has changed: its folder gets the time in its name, and the stage is made again. */
  | { readonly type: 'stage-replace'; readonly stage: string; readonly index: number; readonly reason: string }
  | { readonly type: 'stage-end'; readonly stage: string; readonly index: number; readonly rows: number }
  | { readonly type: 'stage-event'; readonly stage: string; readonly event: RunEvent };

type Element<List> = List extends readonly (infer Item)[] ? Item : unknown;

/** The rows of a stage's input: the output of the stage before, expanded or grouped. */
export type InputRow<Row, Options> = Options extends { readonly expand: infer Column }
  ? { [Key in keyof Row]: Key extends Column ? Element<NonNullable<Row[Key]>> : Row[Key] }
  : Options extends { readonly group: { readonly collect: readonly (infer Collected)[] } }
    ? { [Key in keyof Row]: Key extends Collected ? Row[Key][] : Row[Key] }
    : Row;

/** The rows of a stage. */
export type StageRow<D> = RecordOf<D>;
