import type { MessagePort } from 'node:worker_threads';
import type { DataDesignerError, ToolSchema } from '@data-designer/core';

/** What a run asks of whatever stands between it and the outside. */
export interface RunGateway extends AsyncDisposable {
  /** Rejects when the run cannot go on without it; never resolves. */
  readonly lost: Promise<never>;
  /** Resolves with why, once rows want what may not be asked any more: the run is then to be drained. */
  readonly spent: Promise<DataDesignerError>;
  /** Opens a row group's desk, or gives an open one a new worker; the port is the worker's. */
  openGroup(group: number, journalPath: string | null): MessagePort;
  /** Ends a row group's desk; its journal goes when the group is committed. */
  closeGroup(group: number, options: { keepJournal: boolean }): Promise<void>;
  /**
   * Admits nothing more and waits, `graceMs` at most, for the answers under way to stand in their journals. Rows that
   * would need more are told `run/over`, also those of groups that are opened later.
   */
  drain(graceMs: number): Promise<void>;
  /** The tools of a provider; throws `tool/unavailable`. */
  listTools(provider: string): Promise<readonly ToolSchema[]>;
  /** Plain data without the secrets of the run: what a worker says of a failure may quote an answer that holds one. */
  redact<Value>(value: Value): Promise<Value>;
}
