import { DataDesignerError, type RowGroup } from '@data-designer/core';
import type { RowGroupResult } from '../row-group/row-group-result.ts';

/** A row group that took its workers with it so many times: none of its rows was made, for the last worker's reason. */
export function lostGroup({ index, rows }: RowGroup, losses: number, reason: string): RowGroupResult {
  const { code, message } = new DataDesignerError('run/worker-lost', { group: index, losses, reason });
  const lost = [{ column: '', code, message, rows }];
  return {
    group: index,
    rows: 0,
    lost,
    unfinished: 0,
    cells: {},
    failures: [],
    usage: {},
    tools: {},
    orphans: [],
    output: undefined,
  };
}
