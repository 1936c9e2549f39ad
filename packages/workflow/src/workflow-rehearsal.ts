import type { Rehearsal } from '@data-designer/rehearsal';

/** The estimate of a stage. */
export interface StageRehearsal extends Rehearsal {
  /** The name of the stage. */
  readonly stage: string;
}

/** The estimate of a workflow. */
export interface WorkflowRehearsal {
  /** The estimates of its stages, in order. */
  readonly stages: readonly StageRehearsal[];
  /** Requests to all models. */
  readonly requests: number;
  /** Prompt tokens of all models. */
  readonly inputTokens: number;
  /** Answer tokens of all models. */
  readonly outputTokens: number;
  /** The cost of all answers in the currency of the prices; null if a model has no price. */
  readonly cost: number | null;
  /** Milliseconds of the whole run. */
  readonly wallMs: number;
  /** The assumptions behind the figures, as sentences. */
  readonly assumptions: readonly string[];
}
