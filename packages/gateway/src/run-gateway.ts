import type { MessagePort } from 'node:worker_threads';
import type { DataDesignerError, ToolSchema } from '@data-designer/core';

/** The gateway as the host of a run uses it. */
export interface RunGateway extends AsyncDisposable {
  /** Rejects when the run cannot go on without it; never resolves. */
  readonly lost: Promise<never>;
  /** Resolves with `run/budget-spent` once rows wait for calls that the budget does not allow; the run then drains. */
  readonly spent: Promise<DataDesignerError>;
  /** Opens the channel of a row group, or attaches a new worker to an open one; the port is the worker's. */
  openGroup(group: number, journalPath: string | null): MessagePort;
  /** Closes the channel of a row group; its journal is removed when the group is committed. */
  closeGroup(group: number, options: { keepJournal: boolean }): Promise<void>;
  /** Ends the requests of one row group: calls in flight are finished, every other call fails with `run/over`. */
  endGroup(group: number): void;
  /**
   * Admits nothing more and waits, at most `graceMs`, until the answers in flight are journaled. Every other call fails
   * with `run/over`, also in groups that are opened later.
   */
  drain(graceMs: number): Promise<void>;
  /** The tools of a provider; throws `tool/unavailable`. With `rests`, its child process ends until the first call. */
  listTools(provider: string, options?: { readonly rests?: boolean }): Promise<readonly ToolSchema[]>;
  /** Redacts the secrets of the run from plain data: the failure of a worker may quote an answer that holds one. */
  redact<Value>(value: Value): Promise<Value>;
}
