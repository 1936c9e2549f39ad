import type { ProgressSnapshot, RedisEvent, RunEvent } from '@data-designer/engine';
import type { InputFinding } from './inputs/input-kind.ts';

/** An event of a workflow, of a stage, or of the run that makes a stage. */
export type WorkflowEvent =
  /** All stages have been checked; the stages of this run, in order. */
  | {
      readonly type: 'workflow-start';
      readonly workflow: string;
      readonly path: string;
      readonly stages: readonly WorkflowStage[];
    }
  /** The progress of all stages, after each `progress` of a run and each change of a stage. */
  | { readonly type: 'workflow-progress'; readonly snapshot: WorkflowSnapshot }
  | { readonly type: 'stage-start'; readonly stage: string; readonly index: number; readonly rows: number }
  /** The stage is complete and unchanged; requests and cost are those of the runs that made it. */
  | {
      readonly type: 'stage-reuse';
      readonly stage: string;
      readonly index: number;
      readonly rows: number;
      readonly requests: number;
      /** Null where an answer has no price. */
      readonly cost: number | null;
      /** The cost of the answers with a price. */
      readonly knownCost: number;
    }
  /** The stage has changed: its folder gets the time in its name, and the stage is made again. */
  | { readonly type: 'stage-replace'; readonly stage: string; readonly index: number; readonly reason: string }
  /** What the user should know of the rows of its input: rows without a partner in a join, or reviews that had no effect. */
  | ({ readonly type: 'stage-input'; readonly stage: string; readonly index: number } & InputFinding)
  /** A stage that it reads hands over no rows. */
  | { readonly type: 'stage-skip'; readonly stage: string; readonly index: number; readonly upstream: string }
  | { readonly type: 'stage-end'; readonly stage: string; readonly index: number; readonly rows: number }
  /** This machine was suspended, and another one of its cluster coordinates the workflow now. */
  | { readonly type: 'coordinator-change'; readonly path: string }
  /** What is wrong with the Redis of its cluster. */
  | RedisEvent
  | { readonly type: 'stage-event'; readonly stage: string; readonly event: RunEvent };

/** A stage of a run, before it begins. */
export interface WorkflowStage {
  /** The name of the stage. */
  readonly stage: string;
  /** The number of the stage, from 0. */
  readonly index: number;
  /** The stages whose output it reads. */
  readonly dependsOn: readonly string[];
  /** The rows to make; null while its input must be made first. */
  readonly rows: number | null;
  /** The models that it uses, by alias. */
  readonly models: readonly string[];
}

/** The progress of a workflow as plain data; counts include earlier runs of its stages. */
export interface WorkflowSnapshot {
  /** Since the first stage began. */
  readonly elapsedMs: number;
  /** The stages of this run, in order. */
  readonly stages: readonly StageSnapshot[];
  /** Requests to models of all stages that have begun. */
  readonly requests: number;
  /** In the currency of the prices. */
  readonly cost: {
    /** Null where an answer has no price. */
    readonly soFar: number | null;
    /** The cost so far of the answers with a price. */
    readonly known: number;
    /** The stages with answers without a price. */
    readonly unpriced: readonly string[];
    /** Of all stages but those in `unknown`; null where a model has no price. */
    readonly forecast: number | null;
    /** The stages whose cost cannot be estimated yet. */
    readonly unknown: readonly string[];
    /** The budget and what is left of it; null without one. */
    readonly budget: number | null;
    readonly left: number | null;
  };
  /** The time left. */
  readonly time: {
    /** Seconds until the running stages end; null where one has no rate yet. */
    readonly etaSeconds: number | null;
    /** The waiting stages that use models, whose time cannot be estimated yet. */
    readonly unknown: readonly string[];
  };
}

/** The progress of a stage. */
export interface StageSnapshot {
  /** The name of the stage. */
  readonly stage: string;
  /** The number of the stage, from 0. */
  readonly index: number;
  /** `reused` is complete since an earlier run; `stopped` ended before all rows were made; `skipped` has no input rows. */
  readonly state: 'waiting' | 'running' | 'done' | 'reused' | 'stopped' | 'skipped';
  /** The rows of the stage. */
  readonly rows: {
    /** Null while the stages before it must be made first. */
    readonly wanted: number | null;
    readonly done: number;
    readonly lost: number;
  };
  /** Requests to models. */
  readonly requests: number;
  /** In the currency of the prices; null while unknown. */
  readonly cost: {
    readonly soFar: number | null;
    readonly forecast: number | null;
    /** The cost so far of the answers with a price. */
    readonly known: number;
  };
  /** The run that makes the stage, once it has begun. */
  readonly run: ProgressSnapshot | null;
}
