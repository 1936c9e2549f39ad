import type { LostRows } from './row-group/row-group-result.ts';

/** What a run tells while it goes. */
export type RunEvent =
  | {
      readonly type: 'run-start';
      readonly path: string;
      readonly rows: number;
      readonly groups: number;
      readonly seed: number;
    }
  | {
      readonly type: 'row-group-end';
      readonly group: number;
      readonly rows: number;
      readonly lost: readonly LostRows[];
    }
  | { readonly type: 'run-end'; readonly rows: number; readonly elapsedMs: number };
