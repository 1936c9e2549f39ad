import { createHash, randomUUID } from 'node:crypto';
import { DataDesignerError, type Plan, type PlannedColumn, rowGroups, type RowGroup } from '@data-designer/core';
import { OpenLineLog } from '@data-designer/dataset';
import { monotonicSeconds, type TaskStep } from '../row-group/task-steps.ts';
import type { RunEvent } from '../run-event.ts';
import type { EndedGroup, RunObserver } from '../run-observer.ts';
import { describeJob, resourceKey, resourceLimits, type TaskGroup, taskGroupOf } from './describe-tasks.ts';

/** What the events of a run are made from. */
export interface SchedulerEventsParts {
  readonly path: string;
  /** The row groups of this run. */
  readonly left: readonly RowGroup[];
  /** Whether a column is filled for a whole row group. */
  readonly isLocal: (column: PlannedColumn) => boolean;
  readonly onEvent: (event: RunEvent) => void;
}

/** The fields of an event that differ from those of every event. */
interface EventFields {
  readonly at?: number;
  readonly step?: TaskStep;
  readonly result?: string | null;
  readonly diagnostics?: object;
}

function digest(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

/** Writes the events of a run to `scheduler_events.jsonl`, with the fields of the Python tool in its order. */
export class SchedulerEvents {
  readonly #parts: SchedulerEventsParts;
  readonly #run = `run-${randomUUID().replaceAll('-', '')}`;
  readonly #groups: ReadonlyMap<string, TaskGroup>;
  readonly #sizes: ReadonlyMap<number, number>;
  readonly #limits: Readonly<Record<string, number>>;
  readonly #leased = new Map<string, number>();
  /** How often each open row group was given to a thread. */
  readonly #open = new Map<number, number>();
  #waiting: object[] = [];
  #log: OpenLineLog | undefined;
  #opening: Promise<void> | undefined;
  #sequence = 0;

  constructor(plan: Plan, parts: SchedulerEventsParts) {
    this.#parts = parts;
    this.#groups = new Map(plan.columns.map((one) => [one.name, taskGroupOf(one, plan, parts.isLocal(one))]));
    this.#sizes = new Map([...rowGroups(plan)].map(({ index, rows }) => [index, rows]));
    this.#limits = resourceLimits(plan);
    const left = parts.left.map(({ index }) => index);
    const job = { run_id: this.#run, ...describeJob(plan, this.#groups, left) };
    this.#add('scheduler_job_started', { diagnostics: job });
  }

  readonly observer: RunObserver = {
    onGroupStart: (group) => this.#startGroup(group),
    onSteps: (steps) => {
      for (const step of steps) this.#addStep(step);
      this.#write();
    },
    onGroupEnd: (ended) => this.#endGroup(ended),
  };

  /** Writes the end of the run and closes the file. */
  async end(outcome: 'success' | 'early_shutdown' | 'error' | 'cancelled'): Promise<void> {
    const diagnostics = { reason: 'completed', active_row_groups: this.#open.size, outcome };
    this.#add('scheduler_job_completed', { result: outcome, diagnostics });
    await this.#opening;
    this.#write();
    this.#log?.[Symbol.dispose]();
  }

  #startGroup(group: number): void {
    const attempt = (this.#open.get(group) ?? 0) + 1;
    this.#open.set(group, attempt);
    // The folder is the run's own only once its first row group begins.
    this.#opening ??= this.#openLog();
    if (attempt > 1) return;
    const size = this.#sizes.get(group) ?? null;
    const diagnostics = { mode: 'fixed', reason: 'admitted', active_row_groups: this.#open.size };
    this.#add('row_group_admitted', { diagnostics: { ...diagnostics, row_group: group, row_group_size: size } });
    this.#write();
  }

  #endGroup({ group, rows, lost, unfinished }: EndedGroup): void {
    this.#open.delete(group);
    const dropped = lost.reduce((sum, one) => sum + one.rows, 0);
    const diagnostics = {
      row_group: group,
      row_group_size: this.#sizes.get(group) ?? null,
      dropped_rows: dropped,
      surviving_rows: rows,
      result: unfinished > 0 ? 'unfinished' : rows === 0 ? 'all_rows_dropped' : 'finalized',
      active_row_groups: this.#open.size,
    };
    this.#add('row_group_checkpointed', { diagnostics });
    this.#write();
  }

  #addStep(step: TaskStep): void {
    const key = step.lease && resourceKey(step.lease.resource);
    const change = step.kind === 'task_lease_acquired' ? 1 : step.kind === 'task_lease_released' ? -1 : 0;
    if (key !== undefined) this.#leased.set(key, (this.#leased.get(key) ?? 0) + change);
    const { kind, identity, resourceRequest } = this.#groups.get(step.column) ?? {};
    const failed = step.error === undefined ? {} : { error_type: step.error };
    const diagnostics = { task_group_key: { kind, identity }, resource_request: resourceRequest, ...failed };
    const result = step.kind === 'task_lease_released' ? 'released' : null;
    this.#add(step.kind, { at: step.at, step, result, diagnostics });
  }

  #add(kind: string, { at = monotonicSeconds(), step, result = null, diagnostics = {} }: EventFields): void {
    const { group, column, row, lease } = step ?? {};
    const task = step && `${group}/${column}/${row}`;
    const taskGroup = this.#groups.get(column ?? '');
    const isBegun = task !== undefined && step?.kind !== 'ready_enqueued';
    const attempt = `${this.#run}/${task}/${this.#open.get(group ?? -1) ?? 1}`;
    const execution = isBegun ? `task-exec-${digest(attempt, 32)}` : null;
    this.#waiting.push({
      event_kind: kind,
      captured_at_monotonic: at,
      sequence: ++this.#sequence,
      captured_correlation: {
        run_id: this.#run,
        row_group: group ?? null,
        task_column: column ?? null,
        task_type: taskGroup?.taskType ?? null,
        scheduling_group_kind: taskGroup?.kind ?? null,
        scheduling_group_identity_hash: taskGroup?.identityHash ?? null,
        task_execution_id: execution,
      },
      task_id: task === undefined ? null : `task-${digest(task, 16)}`,
      task_execution_id: execution,
      task_lease_id: lease ? digest(`${attempt}/${lease.call}`, 32) : null,
      scheduler_resource_key: lease ? resourceKey(lease.resource) : null,
      reason_or_result: result,
      snapshot: this.#snapshot(),
      diagnostics,
    });
  }

  #snapshot(): object {
    const leased = [...this.#leased].filter(([, count]) => count > 0);
    const available = Object.entries(this.#limits).map(([key, limit]) => [key, limit - (this.#leased.get(key) ?? 0)]);
    return {
      resource_limits: this.#limits,
      resources_available: Object.fromEntries(available),
      leased_resources: Object.fromEntries(leased),
      leased_resources_by_group: {},
      running_counts_by_group: {},
      policy_debt_by_group_resource: {},
    };
  }

  async #openLog(): Promise<void> {
    try {
      this.#log = await OpenLineLog.open(this.#parts.path);
      this.#write();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #write(): void {
    if (!this.#log) return;
    const lines = this.#waiting;
    this.#waiting = [];
    try {
      this.#log.add(lines);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #fail(thrown: unknown): void {
    const { message: reason } = DataDesignerError.fromUnknown(thrown);
    this.#parts.onEvent({ type: 'log-fail', path: this.#parts.path, reason });
  }
}
