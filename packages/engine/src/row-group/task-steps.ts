import type { Address, Gateway, RowGroup } from '@data-designer/core';

/** A step in the making of a cell, or of a local column of a row group, as the Python tool names it. */
export interface TaskStep {
  readonly kind:
    | 'ready_enqueued'
    | 'selected'
    | 'task_lease_acquired'
    | 'task_lease_released'
    | 'non_retryable_dropped'
    | 'task_completed';
  /** Seconds of the process's monotonic clock. */
  readonly at: number;
  readonly group: number;
  /** The first row of the row group. */
  readonly firstRow: number;
  readonly column: string;
  /** Null for a local column, whose cells are filled together. */
  readonly row: number | null;
  /** For a lease: the resource, and the number of the call within its cell. */
  readonly lease?: { readonly resource: string; readonly call: number };
  /** The error code of a failed cell. */
  readonly error?: string;
}

/** A worker's steps on their way to the host. */
export interface TasksMessage {
  readonly kind: 'tasks';
  readonly run: string;
  readonly steps: readonly TaskStep[];
}

const SEND_EVERY_MS = 100;
const BATCH = 256;
const NANOSECONDS = 1e9;

/** Seconds of the process's monotonic clock, which all threads share. */
export function monotonicSeconds(): number {
  return Number(process.hrtime.bigint()) / NANOSECONDS;
}

/** Collects the steps of one row group and sends them in batches; disposing it sends the rest. */
export class TaskSteps implements Disposable {
  readonly #group: RowGroup;
  readonly #send: (steps: readonly TaskStep[]) => void;
  #waiting: TaskStep[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(group: RowGroup, send: (steps: readonly TaskStep[]) => void) {
    this.#group = group;
    this.#send = send;
  }

  note(
    kind: TaskStep['kind'],
    { column, row }: Pick<TaskStep, 'column' | 'row'>,
    more: Pick<TaskStep, 'lease' | 'error'> = {},
  ): void {
    const { index: group, firstRow } = this.#group;
    this.#waiting.push({ kind, at: monotonicSeconds(), group, firstRow, column, row, ...more });
    if (this.#waiting.length >= BATCH) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), SEND_EVERY_MS).unref();
  }

  [Symbol.dispose](): void {
    this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    this.#send(this.#waiting);
    this.#waiting = [];
  }
}

/** A gateway that notes the permits of requests: from the admission until the answer, or until they are given back. */
export function notingLeases(gateway: Gateway, steps: TaskSteps): Gateway {
  const held = new Map<string, string>();
  const release = (at: Address): void => {
    const resource = held.get(keyOf(at));
    if (resource === undefined) return;
    held.delete(keyOf(at));
    steps.note('task_lease_released', at, { lease: { resource, call: at.call } });
  };
  return {
    admit: async (resource, at) => {
      await gateway.admit(resource, at);
      held.set(keyOf(at), resource);
      steps.note('task_lease_acquired', at, { lease: { resource, call: at.call } });
    },
    call: (call) => gateway.call(call).finally(() => release(call)),
    listTools: (provider) => gateway.listTools(provider),
    cancel: (what, how) => {
      gateway.cancel(what, how);
      if (typeof what !== 'number') release(what);
    },
  };
}

function keyOf({ row, column, call }: Address): string {
  return `${row}/${call}/${column}`;
}
