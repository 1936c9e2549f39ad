import type {
  Batch,
  FailedCell,
  Gateway,
  GroupColumns,
  OutcomeJournal,
  RowServers,
  RowGroup,
  RowRange,
} from '@data-designer/core';
import type { RowsAgain } from '@data-designer/dataset';
import type { Functions } from '../functions/functions.ts';
import type { RowReaders } from './awaited-group.ts';
import type { GroupProgress, GroupWatch } from './group-progress.ts';
import type { RowGroupResult } from './row-group-result.ts';
import type { SerialCells } from './serial-cells.ts';
import type { TaskSteps } from './task-steps.ts';

/** A row group as it is begun or continued. */
export interface ResumedGroup extends RowGroup {
  /** Calls with an answer in the journal, by `addressKey`: those of columns whose cells must not fail. */
  readonly journaledCalls?: readonly string[];
  /** Cells that fail without being made, as an earlier attempt recorded them: they cost it its worker, or ran out of time. */
  readonly failedCells?: readonly FailedCell[];
  /** The lost rows to make beside the rows that the group keeps; all rows are made if absent. */
  readonly again?: GroupAgain;
}

/** Lost rows that are made again, and where the kept rows are. */
export interface GroupAgain extends RowsAgain {
  /** The files of the kept rows. */
  readonly files: { readonly rows: string; readonly sideTables: readonly string[] };
}

/** What the cells and processors of one row group can reach; passed as one object. */
export interface GroupContext {
  readonly gateway: Gateway & Partial<OutcomeJournal & RowServers>;
  /** Aborted when the group's task is over. */
  readonly signal: AbortSignal;
  /** Absent where the plan calls none. */
  readonly functions?: Functions | undefined;
  /** The dataset's folder, for images and other files; absent in a preview. */
  readonly folder?: string | undefined;
  /** Further folders whose files cells may name. */
  readonly mediaRoots?: readonly string[] | undefined;
}

/** How one row group is run: where its rows come from and go to, and who watches. */
export interface RowGroupContext extends GroupContext {
  /** Reads the seed tables' rows for a range: by table, by column. */
  readonly tables: (range: RowRange) => Promise<GroupColumns['tables']>;
  /** Samples the group's progress until the returned watch is disposed. */
  readonly watch?: (sample: () => GroupProgress) => GroupWatch;
  /** Whether processors may add and remove rows, as in a preview. */
  readonly mayChangeRows?: boolean | undefined;
  /** A dry replay only compares requests: processors do not run on finished rows. */
  readonly isDryReplay?: boolean | undefined;
  /** Takes the finished rows while the group is open; absent if nobody can read them. */
  readonly readers?: RowReaders | undefined;
  /** Notes the steps of tasks; absent if nobody listens. */
  readonly steps?: TaskSteps | undefined;
  /** Makes the cells one at a time, to find the one that ends its worker. */
  readonly serial?: SerialCells | undefined;
  /** Writes the finished rows and the side tables to where they wait for the commit. */
  readonly write: (batch: Batch, sideTables: readonly Batch[]) => Promise<RowGroupResult['output']>;
}
