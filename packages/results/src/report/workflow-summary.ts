import type { RunEnd } from '@data-designer/engine';

/** What the runs of one stage, or of all stages, took. */
export interface StageCounts {
  /** Rows made. */
  readonly rows: number;
  /** Rows requested. */
  readonly requested: number;
  /** Requested rows that are missing, because their cells failed or the run ended early. */
  readonly missing: number;
  /** Requests to models. */
  readonly requests: number;
  /** Requests that failed. */
  readonly failedRequests: number;
  /** Tokens of all prompts. */
  readonly inputTokens: number;
  /** Tokens of all answers. */
  readonly outputTokens: number;
  /** The cost of all answers, in the currency of the prices; null if a model has no price. */
  readonly cost: number | null;
  /** The cost of the answers of models with a price. */
  readonly knownCost: number;
  /** The aliases of the models in use without a price. */
  readonly unpriced: readonly string[];
  /** Seconds; of all stages their sum, also if some ran at the same time. Null if a run was killed or another tool made it. */
  readonly seconds: number | null;
}

/** What a stage took. */
export interface StageSummary extends StageCounts {
  /** The name of the stage. */
  readonly stage: string;
  /** The folder of its dataset. */
  readonly path: string;
  /** Whether it was complete and unchanged. */
  readonly reused: boolean;
  /** Why its run ended before all rows were made; null if it made them all. */
  readonly ended: RunEnd | null;
}

/** What a workflow took. */
export interface WorkflowSummary {
  /** Its stages in order. */
  readonly stages: readonly StageSummary[];
  /** All stages together. */
  readonly total: StageCounts;
}
