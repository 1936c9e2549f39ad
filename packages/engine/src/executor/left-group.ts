import { DataDesignerError, type RowGroup } from '@data-designer/core';
import type { RowGroupResult } from '../row-group/row-group-result.ts';

/** A row group that lost its worker thread so many times: it is left unfinished, for the last thread's reason. */
export function unfinishedGroup({ index, rows }: RowGroup, losses: number, reason: string): RowGroupResult {
  return {
    group: index,
    rows: 0,
    lost: [],
    unfinished: rows,
    abandoned: new DataDesignerError('run/worker-lost', { group: index, rows, losses, reason }).toWire(),
    cells: {},
    failures: [],
    usage: {},
    tools: {},
    orphanedImages: [],
    output: undefined,
  };
}
