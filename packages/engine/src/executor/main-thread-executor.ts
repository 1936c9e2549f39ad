import { randomUUID } from 'node:crypto';
import { areBoundedColumnTypes } from '@data-designer/columns';
import { DataDesignerError, type Plan, type RowGroup, rowsIn, stringifyJson } from '@data-designer/core';
import type { RowGroupMaker } from '../row-group/row-group-maker.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import type { WorkerReport } from '../row-group/progress-reporter.ts';
import { type Executor, type ExecutorOptions, type GroupChannels, redactedProgress, resultOf } from './executor.ts';
import { MAIN_THREAD_ROWS } from './thread-sizing.ts';

/** Whether the main thread may make the row groups of a plan: a single small one, without code and schemas of users. */
export function fitsMainThread(plan: Plan, { groups, functions }: ExecutorOptions): boolean {
  const { columns, segments, plugins, templates } = plan;
  const isSmall = groups === 1 && rowsIn(segments) <= MAIN_THREAD_ROWS;
  const hasCode = (plugins?.length ?? 0) > 0 || (functions?.size ?? 0) > 0 || templates === 'native';
  // The arguments of tools are compared with schemas of their servers.
  const hasTools = columns.some(({ requires }) => requires.tools.length > 0);
  return isSmall && !hasCode && !hasTools && areBoundedColumnTypes(columns.map(({ config }) => config.columnType));
}

/**
 * Makes row groups one after another in the thread that calls it. A worker thread takes 0.1 s of CPU and 30 MB to start, a
 * quarter of a run of five rows; most of its modules are loaded here already.
 */
export class MainThreadExecutor implements Executor {
  readonly slots = 1;
  readonly #options: ExecutorOptions;
  readonly #run = randomUUID();
  readonly #maker: Promise<RowGroupMaker>;
  #plan: Plan;
  #redact: GroupChannels['redact'] | undefined;
  readonly #ended = new AbortController();
  #open: Promise<unknown> = Promise.resolve();

  constructor(plan: Plan, options: ExecutorOptions) {
    this.#plan = plan;
    this.#options = options;
    const loading = import('../row-group/row-group-maker.ts');
    const host = { report: (report: WorkerReport) => this.#report(report), signal: this.#ended.signal };
    this.#maker = loading.then(({ RowGroupMaker: Maker }) => new Maker(host));
    // The first group reports its failure.
    this.#maker.catch(() => {});
  }

  async *run(groups: Iterable<RowGroup>, channels: GroupChannels): AsyncGenerator<RowGroupResult> {
    this.#plan = channels.plan ?? this.#plan;
    this.#redact = channels.redact;
    for (const group of groups) {
      const making = this.#make(group, channels);
      this.#open = making.catch(() => {});
      yield await making;
    }
  }

  /** Ends the open group: its calls fail at once, and no further row is begun. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.#open;
  }

  async #make(group: RowGroup, channels: GroupChannels): Promise<RowGroupResult> {
    const maker = await this.#maker;
    const { mediaRoots, observer } = this.#options;
    const destination = channels.destination(group.index);
    const answer = await maker.make({
      run: this.#run,
      plan: stringifyJson(this.#plan),
      group,
      tables: channels.tables ?? [],
      folder: channels.folder,
      mediaRoots,
      port: channels.open(group.index),
      destination,
      recordsCalls: observer?.onCalls !== undefined,
      reportsSteps: observer?.onSteps !== undefined && destination.kind !== 'nowhere',
      awaited: observer?.readers?.awaited,
    });
    if (this.#ended.signal.aborted) throw new DataDesignerError('run/aborted', { reason: 'the run has been closed' });
    return resultOf(answer, channels);
  }

  #report(report: WorkerReport): void {
    const { onProgress, observer } = this.#options;
    if (report.kind === 'tasks') observer?.onSteps?.(report.steps);
    else if (report.kind === 'rows') observer?.readers?.onRows(report.rows);
    else if (onProgress) redactedProgress(report.groups, this.#redact, onProgress);
  }
}
