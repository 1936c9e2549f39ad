import type { DamagedRows, LostRows, VoidAnswers } from '@data-designer/core';
import type { RefusedCandidate } from '@data-designer/dataset';
import type { GatewayEvent } from '@data-designer/gateway';
import type { AttemptFigures } from './attempt-figures.ts';
import type { RunEnd } from './endings/run-ending.ts';
import type { FunctionEvent } from './functions/function-host.ts';
import type { RedisEvent } from './progress/redis-event.ts';
import type { RunFindings } from './run-summary.ts';
import type { ProgressSnapshot } from './progress/progress-snapshot.ts';

/** The events of a run. */
export type RunEvent =
  | {
      readonly type: 'run-start';
      readonly path: string;
      /** The rows of the whole dataset, and how many earlier runs made. */
      readonly rows: number;
      readonly rowsDone: number;
      readonly groups: number;
      /** The rows of a seed in its order, where they are fewer: the dataset uses them again. */
      readonly seedRows?: number;
      readonly seed: number;
      /** The models in use, with the limit of their concurrent requests. */
      readonly models: readonly { readonly alias: string; readonly model: string; readonly limit: number }[];
    }
  /** Progress: at most ten times a second, once a second while nothing happens, and at the end. */
  | { readonly type: 'progress'; readonly snapshot: ProgressSnapshot }
  | {
      readonly type: 'row-group-end';
      readonly group: number;
      readonly rows: number;
      readonly lost: readonly LostRows[];
      /** The complete candidates that a selection refused, with the reason for each; absent without a selection. */
      readonly refused?: readonly RefusedCandidate[];
    }
  /** The schema of a tool's arguments does not compile: arguments are passed on unchecked. */
  | { readonly type: 'tool-schema-fail'; readonly provider: string; readonly tool: string }
  /** Tools of a provider are not offered to models, all for one reason: their schemas have no form that model APIs accept, or there are too many. */
  | {
      readonly type: 'tool-drop';
      readonly provider: string;
      readonly tools: readonly string[];
      readonly reason: string;
    }
  /** A worker thread was lost; its row group is made again from the journal. */
  | { readonly type: 'worker-fail'; readonly group: number; readonly reason: string }
  /** The requested folder holds a dataset: this one goes to another folder. */
  | {
      readonly type: 'folder-divert';
      readonly path: string;
      readonly wanted: string;
      /** Whether that dataset is of this config, and has all its row groups; absent where its record cannot be read. */
      readonly holds?: 'finished' | 'unfinished' | 'other';
    }
  /** The folder of a run without rows is used again; its failures, if it logged any, stay in failures.previous.jsonl. */
  | { readonly type: 'folder-reuse'; readonly path: string; readonly hasFailures: boolean }
  /** The dataset cannot be continued: the run begins another one. */
  | { readonly type: 'resume-fail'; readonly path: string; readonly reason: string }
  /** Journaled answers belong to changed requests and are requested again. */
  | ({ readonly type: 'journal-void' } & VoidAnswers)
  /** Rows in these files, relative to the folder, cannot be read and are made again for about this cost. */
  | ({ readonly type: 'rows-damaged' } & DamagedRows)
  /** Lost rows of an earlier run are made again; so many of their cells are paid for again, as their answers were not kept. */
  | { readonly type: 'lost-rows-retry'; readonly path: string; readonly rows: number; readonly boughtAgain: number }
  /** `metadata.json` cannot be read and is derived from the dataset's files. */
  | { readonly type: 'metadata-derive'; readonly path: string; readonly reason: string }
  /** `run.json` cannot be used and is restored from its copy. */
  | { readonly type: 'record-restore'; readonly path: string; readonly from: string; readonly reason: string }
  /** The outputs of processors in these files, relative to the folder, were lost and are made again from the rows. */
  | { readonly type: 'side-tables-restore'; readonly path: string; readonly files: readonly string[] }
  /** The usage log has lost requests that `metadata.json` counts; they count again. */
  | { readonly type: 'usage-restore'; readonly path: string; readonly requests: number }
  /** So many lines of the log of failed cells were damaged or missing; the counts of failed cells do not change. */
  | { readonly type: 'failures-lost'; readonly path: string; readonly lines: number }
  /** A log of the run can no longer be written; the run continues without it. */
  | { readonly type: 'log-fail'; readonly path: string; readonly reason: string }
  /** Small files could not be merged; they stay as they are and hold all rows. */
  | { readonly type: 'merge-fail'; readonly reason: string }
  | GatewayEvent
  | FunctionEvent
  | RedisEvent
  /** An answer in this column was cut off at its token limit and accepted; reported once per column. */
  | { readonly type: 'answer-cut'; readonly column: string }
  /** Another machine of the cluster coordinates the run, since this one was suspended; this one works on. */
  | { readonly type: 'coordinator-change'; readonly path: string }
  /** The run is ending for this reason: it sends no further request and waits for pending answers. */
  | { readonly type: 'drain-start'; readonly graceMs: number; readonly reason: RunEnd }
  /** `ended` is the reason where the run ended before all rows were made. */
  | ({
      readonly type: 'run-end';
      readonly rows: number;
      readonly elapsedMs: number;
      readonly ended: RunEnd | null;
      /** The figures of the blocks of attempts, by name; absent without a block. */
      readonly attempts?: Readonly<Record<string, AttemptFigures>>;
    } & RunFindings);
