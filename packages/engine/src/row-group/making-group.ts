import type { CellFailure, DataDesignerError, FailedCell, LostRowCount, WireFailure } from '@data-designer/core';
import type { AttemptStatistics } from './attempt-statistics.ts';
import type { Environments } from '../environments/row-environments.ts';
import type { Barrier } from './barrier.ts';
import type { RowGroupContext } from './group-context.ts';
import type { GroupCounter } from './group-progress.ts';
import type { PreparedPlan, RowColumn } from './prepare-plan.ts';
import type { CellServices } from './row-cell.ts';

/** A row group while its rows are made. */
export interface MakingGroup {
  readonly prepared: PreparedPlan;
  readonly context: RowGroupContext;
  readonly services: CellServices;
  /** The environments; absent where the plan has none. */
  readonly environments: Environments | undefined;
  readonly lost: LostRowCount;
  readonly counter: GroupCounter;
  readonly failures: CellFailure[];
  /** Where rows wait for each other, by column. */
  readonly barriers: Map<RowColumn, Barrier>;
  /** As in `ResumedGroup`. */
  readonly journaledCalls: ReadonlySet<string>;
  /** Cells that fail without being made, by `cellKey`. */
  readonly failedCells: ReadonlyMap<string, WireFailure>;
  /** The attempts so far; undefined before the first block has ended. */
  attempts?: AttemptStatistics;
  /** The failure that every row would meet, once there is one. */
  fatal?: DataDesignerError;
  onFatal?: () => void;
}

/** The key of a cell in `failedCells`. */
export function cellKey({ row, column, attempt }: Omit<FailedCell, 'failure'>): string {
  return attempt === undefined ? `${row}/${column}` : `${row}/${column}/${attempt}`;
}
