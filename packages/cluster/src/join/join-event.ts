import type { RunEvent } from '@data-designer/engine';

/** What happens to a machine that has joined a run, or runs of a selection or a workflow. */
export type JoinEvent =
  /** There is no run in the folder yet. */
  | { readonly type: 'join-wait'; readonly path: string }
  /** This machine takes part in the run of a folder. */
  | {
      readonly type: 'join-start';
      readonly path: string;
      readonly groups: number;
      readonly coordinator: string;
      /** Tool configs whose tools run on the coordinator only; this machine makes groups if it takes its place. */
      readonly standsByFor: readonly string[];
    }
  /** The rows that this machine has made since it joined, those of its open row groups included; once a second. */
  | {
      readonly type: 'join-progress';
      /** The folder that this machine has joined. */
      readonly path: string;
      readonly rows: number;
      readonly groups: number;
      /** The same for each run in which it takes part now. */
      readonly runs: readonly { readonly path: string; readonly rows: number; readonly groups: number }[];
    }
  /** The coordinator is lost: this machine coordinates the run of the folder now, or the selection or workflow in it. */
  | { readonly type: 'join-lead'; readonly path: string }
  /** The coordinator of a workflow is lost, and this machine cannot take its place: it waits for another coordinator. */
  | { readonly type: 'join-cannot-lead'; readonly path: string; readonly reason: string };

/** An event of a run in which this machine takes part, with the folder of the run. */
export type JoinedRunEvent = RunEvent & { readonly folder: string };
