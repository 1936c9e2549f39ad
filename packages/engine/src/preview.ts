import { mkdir } from 'node:fs/promises';
import { DataDesignerError, NEVER, type Plan, refuseStopped, rowGroups } from '@data-designer/core';
import { datasetPaths, sideTables, TemporaryFolder } from '@data-designer/dataset';
import { processStreams } from './commit/process-dataset.ts';
import { type ExecutorJob, makeRowGroups } from './job/make-row-groups.ts';
import { MemoryGroups } from './job/memory-groups.ts';
import { noRows } from './job/no-rows.ts';
import type { PreviewOptions } from './preview-options.ts';
import type { RunEvent } from './run-event.ts';
import type { RunResult } from './run-result.ts';
import { withoutSelect } from './select/candidate-plan.ts';
import { RunSummary } from './run-summary.ts';
import { unsavedFailure } from './unsaved-failure.ts';

/** A few rows in memory, as Arrow IPC streams, one per row group. */
export interface PreviewResult extends Pick<RunResult, 'plan' | 'summary' | 'ended'> {
  readonly batches: readonly Uint8Array[];
  /** The side tables as Arrow IPC streams, by the processor's name. */
  readonly sideTables: Readonly<Record<string, readonly Uint8Array[]>>;
}

/** Runs a plan in memory: the same threads, gateway and rows as `run`, and no files that stay. */
export async function preview(plan: Plan, options: PreviewOptions): Promise<PreviewResult> {
  try {
    const { ended, ...result } = await makePreview(plan, options);
    return { ...result, ended: ended && unsavedFailure(ended) };
  } catch (thrown) {
    throw thrown instanceof DataDesignerError ? unsavedFailure(thrown) : thrown;
  }
}

async function makePreview(compiled: Plan, options: PreviewOptions): Promise<PreviewResult> {
  refuseStopped(options);
  // Only files store dropped columns.
  const planned = { ...withoutSelect(compiled), dropped: null };
  const { onEvent = () => {}, drain } = options;
  const signal = AbortSignal.any([options.signal, drain]);
  await using folder = await TemporaryFolder.make();
  const paths = datasetPaths(folder.path);
  const streams: ConstructorParameters<typeof MemoryGroups>[2] = new Map();
  const { plan, summary, ended, failure } = await makeRowGroups({
    ...NOTHING_EARLIER,
    plan: planned,
    summary: new RunSummary(),
    paths,
    options: { ...options, signal, drain: NEVER, onEvent: (event) => isOfPreview(event) && onEvent(event) },
    left: async () => ({ left: [...rowGroups(planned)], partial: new Map() }),
    // Deleted with the folder: journals serve groups that lose their worker.
    begin: () => mkdir(paths.journals).then(() => {}),
    sink: (parts) => new MemoryGroups(parts, paths, streams),
  });
  if (failure) throw failure;
  // A processor may remove all rows; that is no failure.
  if (summary.rows === 0 && (ended || summary.lost.length > 0)) throw ended ?? noRows(plan, summary);
  const made = [...rowGroups(plan)].flatMap(({ index }) => streams.get(index) ?? []);
  const tables = sideTables(plan).map(
    ({ processor }, at) => [processor ?? '', made.flatMap((output) => output.sideTables?.[at] ?? [])] as const,
  );
  const batches = made.map(({ bytes }) => bytes);
  const { streams: processed, rows } = await processStreams(batches, plan, { ...options, signal, onEvent });
  if (rows !== undefined) summary.settleRows(rows);
  return { batches: processed, sideTables: Object.fromEntries(tables), plan, summary, ended };
}

/** A preview continues nothing, shares nothing, and leaves nothing that another program could watch. */
const NOTHING_EARLIER = {
  prior: undefined,
  addUsage: async () => {},
  share: async () => undefined,
  hasWatchers: false,
} as const satisfies Partial<ExecutorJob>;

/** Whether an event makes sense for a few rows in memory: a drain keeps answers for a resume. */
function isOfPreview({ type }: RunEvent): boolean {
  return type !== 'drain-start';
}
