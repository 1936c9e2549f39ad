import { DataDesignerError, type FailedCell } from '@data-designer/core';
import type { NotedCell } from '@data-designer/gateway/worker';
import type { ResumedGroup } from '../row-group/group-context.ts';
import type { GroupRecovery } from './executor.ts';
import type { TaskLoss } from './pool-thread.ts';

/** A cell that ended its thread must end it this many times more when only its row is made. */
const CONFIRMATIONS = 2;
/** The most cells that one isolation marks: each blocked a thread for long, and a column may do so in every row. */
const MAX_MARKED = 10;

/** A dry replay of a row group with its failed cells; of one row where given. */
export interface Replay {
  readonly group: ResumedGroup;
  readonly row?: number;
}

interface IsolationParts {
  readonly recovery: GroupRecovery;
  /** Names of the plan's columns, in order. */
  readonly columns: readonly string[];
  /** Replays a group on a dedicated thread, one cell at a time; returns the loss if the thread was lost. */
  readonly replay: (replay: Replay) => Promise<TaskLoss | undefined>;
  /** Called for each cell that is found. */
  readonly onMarked: () => void;
  /** Whether the run has ended. */
  readonly isOver: () => boolean;
}

/** The outcome of a group's dry replays. */
export interface IsolationOutcome {
  /** The group with all its failed cells. */
  readonly group: ResumedGroup;
  /** `clean`: the replay passes. `marked`: it passes without the cells found. `unexplained`: it does not pass. */
  readonly verdict: 'clean' | 'marked' | 'unexplained';
}

/** Finds the cells that cost a group its worker thread and records them as failed, until the group's replay passes. */
export async function isolateCells(lost: ResumedGroup, parts: IsolationParts): Promise<IsolationOutcome> {
  const { recovery, columns, replay, onMarked, isOver } = parts;
  let group = lost;
  for (let marked = 0; ; marked++) {
    const loss = await replay({ group });
    if (!loss || isOver()) return { group, verdict: marked > 0 ? 'marked' : 'clean' };
    const { cell } = loss;
    if (marked >= MAX_MARKED) return { group, verdict: 'unexplained' };
    const row = group.firstRow + (cell?.position ?? 0);
    if (!cell || !(loss.hung || (await endsThreadAgain({ group, row }, cell, parts)))) {
      return { group, verdict: marked > 0 ? 'marked' : 'unexplained' };
    }
    const { column, attempt } = cell;
    const at = { row, column: columns[column] ?? '', ...(attempt !== undefined && { attempt }) };
    const failed = failedCell(at, loss);
    await recovery.failCell(group.index, failed);
    onMarked();
    group = { ...group, failedCells: [...(group.failedCells ?? []), failed] };
  }
}

/** Whether a cell ends its thread each time, also when only its row is made; else the thread ended for another reason. */
async function endsThreadAgain(alone: Replay, cell: NotedCell, { replay, isOver }: IsolationParts): Promise<boolean> {
  for (let count = 0; count < CONFIRMATIONS; count++) {
    const loss = await replay(alone);
    if (isOver() || !loss?.cell || !isSame(loss.cell, cell)) return false;
  }
  return true;
}

function isSame(one: NotedCell, other: NotedCell): boolean {
  return one.position === other.position && one.column === other.column && one.attempt === other.attempt;
}

function failedCell(at: Omit<FailedCell, 'failure'>, { hung, reason }: TaskLoss): FailedCell {
  const cause = hung ? `blocked its worker thread: ${reason}` : `ended its worker thread: ${reason}`;
  return { ...at, failure: new DataDesignerError('cell/killed-worker', { ...at, cause }).toWire() };
}
