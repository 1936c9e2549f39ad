import type { DamagedRows, LostRows, VoidAnswers } from '@data-designer/core';
import type { GatewayEvent } from '@data-designer/gateway';
import type { RunEnd } from './endings/run-ending.ts';
import type { FunctionEvent } from './functions/function-host.ts';
import type { ProgressSnapshot } from './progress/progress-snapshot.ts';

/** What a run tells while it goes. */
export type RunEvent =
  | {
      readonly type: 'run-start';
      readonly path: string;
      /** Rows wanted in all, and how many of them earlier runs have made. */
      readonly rows: number;
      readonly rowsDone: number;
      readonly groups: number;
      readonly seed: number;
      /** The models in use, and how many requests each may be asked at a time. */
      readonly models: readonly { readonly alias: string; readonly model: string; readonly limit: number }[];
    }
  /** How far the run has come: ten times a second at most, once a second while nothing happens, and at its end. */
  | { readonly type: 'progress'; readonly snapshot: ProgressSnapshot }
  | {
      readonly type: 'row-group-end';
      readonly group: number;
      readonly rows: number;
      readonly lost: readonly LostRows[];
    }
  /** The schema of a tool's arguments cannot be used: they are passed on as models write them. */
  | { readonly type: 'tool-schema-fail'; readonly provider: string; readonly tool: string }
  /** Models are not told of a tool: its schema has no form that model APIs accept. */
  | { readonly type: 'tool-drop'; readonly provider: string; readonly tool: string; readonly reason: string }
  /** A worker thread was lost; its row group is made again from the journal. */
  | { readonly type: 'worker-fail'; readonly group: number; readonly reason: string }
  /** The folder that was asked for holds another dataset: this one goes to a folder of its own. */
  | { readonly type: 'folder-divert'; readonly path: string; readonly wanted: string }
  /** The folder holds what a run without a row has left, and is used again; the failures stay in failures.previous.jsonl. */
  | { readonly type: 'folder-reuse'; readonly path: string }
  /** The dataset that was to be continued cannot be: another one is begun. */
  | { readonly type: 'resume-fail'; readonly path: string; readonly reason: string }
  /** Answers in journals no longer fit what is asked, and are bought again. */
  | ({ readonly type: 'journal-void' } & VoidAnswers)
  /** Rows can no longer be read in these files, relative to the folder, and are made again for about this cost. */
  | ({ readonly type: 'rows-damaged' } & DamagedRows)
  /** `metadata.json` could not be read, and is derived from the files of the dataset. */
  | { readonly type: 'metadata-derive'; readonly path: string; readonly reason: string }
  /** Small files could not be merged; they stay as they are, and hold all rows. */
  | { readonly type: 'merge-fail'; readonly reason: string }
  | GatewayEvent
  | FunctionEvent
  /** An answer in this column was cut off at its token limit and taken all the same; told once a column. */
  | { readonly type: 'answer-cut'; readonly column: string }
  /** The run is to end, for this reason: nothing more is asked, and the answers under way are waited for. */
  | { readonly type: 'drain-start'; readonly graceMs: number; readonly reason: RunEnd }
  /** `ended` says why rows are missing, where the run was to end before they were made. */
  | { readonly type: 'run-end'; readonly rows: number; readonly elapsedMs: number; readonly ended: RunEnd | null };
