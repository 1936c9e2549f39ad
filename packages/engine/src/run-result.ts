import type { DataDesignerError, Plan } from '@data-designer/core';
import type { RunSummary } from './run-summary.ts';

/** The dataset that a run made. */
export interface RunResult {
  readonly path: string;
  readonly datasetName: string;
  /** The folder that was asked for where it holds another dataset; undefined where `path` is that folder. */
  readonly divertedFrom?: string | undefined;
  /** Whether the run continued a dataset; undefined for a dataset that was loaded. */
  readonly isResumed?: boolean;
  readonly plan: Plan;
  readonly summary: RunSummary;
  /** Why the run ended before all rows were made; undefined where it made them all. */
  readonly ended: DataDesignerError | undefined;
  /** What is damaged in the folder of a loaded dataset besides its rows: one sentence for each file. */
  readonly damages?: readonly string[];
}
