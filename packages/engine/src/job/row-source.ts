import type { DataDesignerError, Plan } from '@data-designer/core';
import type { EndedSelection } from '../commit/finish-dataset.ts';
import type { RunSummary } from '../run-summary.ts';

/** The rows that a source has made, and how they ended. */
export interface MadeRows {
  /** With what the source learned of its endpoints. */
  readonly plan: Plan;
  readonly summary: RunSummary;
  /** Whether no row is left to make: the dataset is then processed as a whole. */
  readonly isComplete: boolean;
  /** Whether the dataset was finished before, so that nothing can be added. */
  readonly isFinal?: boolean;
  /** Why there are fewer rows than requested. */
  readonly ended?: DataDesignerError | undefined;
  /** The same, where it is a failure that every row would have met. */
  readonly failure?: DataDesignerError | undefined;
  /** The selection of the rows; absent without one. */
  readonly selection?: EndedSelection;
}

/** Where the rows of a job come from. A job is one dataset or one preview. */
export interface RowSource<Job> {
  /** Makes the rows that are left, and leaves them in the job's folder or memory. */
  readonly make: (job: Job) => Promise<MadeRows>;
}
