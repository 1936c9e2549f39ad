import { ROW_ID } from '@data-designer/config';
import type { FailureCode, Plan } from '@data-designer/core';
import { monotonicSeconds, type TaskStep } from '../row-group/task-steps.ts';
import type { EndedGroup, RunObserver } from '../run-observer.ts';
import { type TaskType, taskTypeOf } from './describe-tasks.ts';

/** The times and the outcome of a task: a cell, or a column of a row group whose cells are filled together. */
export interface TaskTrace {
  /** The name of the column. */
  readonly column: string;
  /** The number of the row group. */
  readonly rowGroup: number;
  /** The position of the row in its row group; null for a column whose cells are filled together. */
  readonly rowIndex: number | null;
  /** `cell`; for a whole column `from_scratch`, or `batch` if it reads other columns. */
  readonly taskType: TaskType;
  /** When the task started, in seconds of the clock of `process.hrtime`. */
  readonly dispatchedAt: number;
  /** When the task got its first permit for a request to a model; equal to `dispatchedAt` if it got none. */
  readonly slotAcquiredAt: number;
  /** When the task ended. */
  readonly completedAt: number;
  /** `cancelled` if its row, its worker thread or the run ended first. */
  readonly status: 'ok' | 'error' | 'cancelled';
  /** The message of the failure; null without one. */
  readonly error: string | null;
}

/** A trace that is not complete yet, and the row in the run by which failures name its cell. */
interface OpenTrace {
  readonly row: number | null;
  readonly trace: { -readonly [Key in keyof TaskTrace]: TaskTrace[Key] };
}

/** The tasks of a row group that is being made. */
interface OpenGroup {
  readonly tasks: Map<string, OpenTrace>;
  /** Failed tasks, which get the messages of their failures at the end of the group. */
  readonly failed: OpenTrace[];
}

/** The failures of cells that the end of their row or of the run interrupted. */
const CANCELLED: ReadonlySet<string> = new Set(['run/aborted', 'run/over'] satisfies FailureCode[]);

/** Makes a trace of each task of a run from its steps. */
export class TaskTraces {
  /** The type of each column's tasks if they fill a whole row group; a column that users do not declare has none. */
  readonly #localTypes: ReadonlyMap<string, TaskType>;
  readonly #groups = new Map<number, OpenGroup>();
  readonly #ended: TaskTrace[] = [];

  constructor({ columns, select }: Plan) {
    const declared = columns.filter(({ name }) => name !== ROW_ID && name !== select?.where);
    this.#localTypes = new Map(declared.map((column) => [column.name, taskTypeOf(column, true)]));
  }

  readonly observer: RunObserver = {
    onGroupStart: (group) => {
      // A group whose thread was lost is made again.
      this.#endGroup({ group });
      this.#groups.set(group, { tasks: new Map(), failed: [] });
    },
    onSteps: (steps) => {
      for (const step of steps) this.#addStep(step);
    },
    onGroupEnd: (ended) => this.#endGroup(ended),
  };

  /** The traces of all tasks in the order in which they ended, once the run is over. */
  list(): readonly TaskTrace[] {
    for (const group of this.#groups.keys()) this.#endGroup({ group });
    return this.#ended.toSorted((a, b) => a.completedAt - b.completedAt);
  }

  #addStep(step: TaskStep): void {
    const group = this.#groups.get(step.group);
    if (!group) return;
    const key = `${step.row}/${step.column}`;
    if (step.kind === 'selected') return this.#open(key, step, group);
    const open = group.tasks.get(key);
    if (!open) return;
    const { trace } = open;
    if (step.kind === 'task_lease_acquired' && trace.slotAcquiredAt === trace.dispatchedAt)
      trace.slotAcquiredAt = step.at;
    if (step.kind !== 'task_completed') return;
    group.tasks.delete(key);
    const status = step.error === undefined ? 'ok' : CANCELLED.has(step.error) ? 'cancelled' : 'error';
    Object.assign(trace, { completedAt: step.at, status, error: status === 'error' ? step.error : null });
    if (status === 'error') group.failed.push(open);
    this.#ended.push(trace);
  }

  #open(key: string, { column, group: rowGroup, firstRow, row, at }: TaskStep, { tasks }: OpenGroup): void {
    const localType = this.#localTypes.get(column);
    if (localType === undefined) return;
    const trace: OpenTrace['trace'] = {
      column,
      rowGroup,
      rowIndex: row === null ? null : row - firstRow,
      taskType: row === null ? localType : 'cell',
      dispatchedAt: at,
      slotAcquiredAt: at,
      completedAt: at,
      status: 'cancelled',
      error: null,
    };
    tasks.set(key, { row, trace });
  }

  /** Names the failures of a group's tasks, and ends those that are still open. */
  #endGroup({ group, ...ended }: Pick<EndedGroup, 'group'> & Partial<EndedGroup>): void {
    const open = this.#groups.get(group);
    if (!open) return;
    this.#groups.delete(group);
    nameFailures(open.failed, ended);
    const completedAt = monotonicSeconds();
    for (const { trace } of open.tasks.values()) this.#ended.push(Object.assign(trace, { completedAt }));
  }
}

/** Replaces the codes of failures by their messages, in which keys are redacted. */
function nameFailures(
  failed: readonly OpenTrace[],
  { failures = [], lost = [], fatal }: Partial<Pick<EndedGroup, 'failures' | 'lost' | 'fatal'>>,
): void {
  if (failed.length === 0) return;
  const cells = new Map(failures.map(({ row, column, message }) => [`${row}/${column}`, message]));
  const rows = new Map(lost.map(({ column, code, message }) => [`${code}/${column}`, message]));
  for (const { row, trace } of failed) {
    const forAll = fatal?.code === trace.error ? fatal.message : trace.error;
    trace.error = cells.get(`${row}/${trace.column}`) ?? rows.get(`${trace.error}/${trace.column}`) ?? forAll;
  }
}
