import { DataDesignerError, type FailedCell } from '@data-designer/core';
import type { NotedCell } from '@data-designer/gateway/worker';
import type { ResumedGroup } from '../row-group/group-context.ts';
import type { GroupRecovery } from './executor.ts';
import type { TaskLoss } from './pool-thread.ts';

/** A cell that ended its thread, rather than blocked it, must do so again this often, alone with its row. */
const CONFIRMATIONS = 2;
/** Cells that one isolation marks: each has blocked a thread for long, and a column may do so in every row. */
const MOST_MARKED = 10;

/** A dry replay of a row group: with the cells that have failed, of one row where one is given. */
export interface Replay {
  readonly group: ResumedGroup;
  readonly row?: number;
}

interface IsolationParts {
  readonly recovery: GroupRecovery;
  /** Names of the plan's columns, in order. */
  readonly columns: readonly string[];
  /** Replays a group alone on a thread, one cell at a time; gives what the thread was lost to, if it was. */
  readonly replay: (replay: Replay) => Promise<TaskLoss | undefined>;
  /** Whether the run has ended meanwhile. */
  readonly isOver: () => boolean;
}

/** What a group's dry replays have shown. */
export interface Isolated {
  /** The group with every cell that is known to have failed. */
  readonly group: ResumedGroup;
  /** `clean`: the replay passes as it is. `marked`: it passes without the cells found. `unexplained`: it does not pass. */
  readonly verdict: 'clean' | 'marked' | 'unexplained';
}

/** Finds the cells that cost a group its worker thread, and records them as failed, until the group's replay passes. */
export async function isolateCells(lost: ResumedGroup, parts: IsolationParts): Promise<Isolated> {
  const { recovery, columns, replay, isOver } = parts;
  let group = lost;
  for (let marked = 0; ; marked++) {
    const loss = await replay({ group });
    if (!loss || isOver()) return { group, verdict: marked > 0 ? 'marked' : 'clean' };
    const { cell } = loss;
    if (
      marked >= MOST_MARKED ||
      !cell ||
      !(loss.hung || (await isCulprit({ group, row: rowOf(group, cell) }, cell, parts)))
    ) {
      return { group, verdict: marked > 0 && marked < MOST_MARKED ? 'marked' : 'unexplained' };
    }
    const failed = failedCell({ row: rowOf(group, cell), column: columns[cell.column] ?? '' }, loss);
    await recovery.failCell(group.index, failed);
    group = { ...group, failedCells: [...(group.failedCells ?? []), failed] };
  }
}

/** Whether a cell ends its thread each time, also where nothing but its row is made: else the thread ended for another reason. */
async function isCulprit(alone: Replay, cell: NotedCell, { replay, isOver }: IsolationParts): Promise<boolean> {
  for (let count = 0; count < CONFIRMATIONS; count++) {
    const loss = await replay(alone);
    if (isOver() || loss?.cell?.position !== cell.position || loss.cell.column !== cell.column) return false;
  }
  return true;
}

function rowOf({ firstRow }: ResumedGroup, { position }: NotedCell): number {
  return firstRow + position;
}

function failedCell(at: { readonly row: number; readonly column: string }, { hung, reason }: TaskLoss): FailedCell {
  const cause = hung ? `blocked its worker thread: ${reason}` : `ended its worker thread: ${reason}`;
  return { ...at, failure: new DataDesignerError('cell/killed-worker', { ...at, cause }).toWire() };
}
