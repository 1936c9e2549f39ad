import { DataDesignerError, type Plan, rowGroups } from '@data-designer/core';
import type { Providers } from '@data-designer/config';
import type { Executor } from './executor/executor.ts';
import { ThreadExecutor } from './executor/thread-executor.ts';
import { freezeTools } from './freeze-tools.ts';
import { GatewayHost } from './gateway/gateway-host.ts';
import { type ModelServer, startModelServers } from './model-server.ts';
import { recordProgress, recordStart } from './record-run.ts';
import type { RunEvent } from './run-event.ts';
import { RunSummary } from './run-summary.ts';
import { commit } from './store/commit-file.ts';
import { type DatasetFolder, openDatasetFolder } from './store/dataset-folder.ts';
import { UnusedFolder } from './store/unused-folder.ts';

/** What a run is given beside its plan. */
export interface RunOptions {
  readonly artifactPath: string;
  readonly datasetName: string;
  readonly providers: Providers;
  /** Model providers that are started here when the plan uses them; one of the same name in `providers` wins. */
  readonly modelServers: readonly ModelServer[];
  /** The declaration in file form, kept beside the data. */
  readonly document: unknown;
  readonly signal: AbortSignal;
  readonly onEvent: (event: RunEvent) => void;
}

/** What a run made, and where. */
export interface RunResult {
  readonly path: string;
  readonly datasetName: string;
  readonly summary: RunSummary;
}

/** Carries a plan out: folder, providers, gateway, row groups on threads, one commit for each. */
export async function run(plan: Plan, options: RunOptions): Promise<RunResult> {
  const started = performance.now();
  await using folder = await openDatasetFolder(options);
  await using unused = new UnusedFolder(folder.path);
  await using servers = await startModelServers(plan, options);
  await using gateway = await GatewayHost.open(plan.resources, servers.providers);
  const tools = await freezeTools(plan, gateway);
  await recordStart(folder, { plan, tools, document: options.document });
  unused.keep();

  const groups = [...rowGroups(plan)];
  options.onEvent({ type: 'run-start', path: folder.path, rows: rowsOf(plan), groups: groups.length, seed: plan.seed });
  const summary = new RunSummary();
  await using executor = new ThreadExecutor({
    plan,
    groups: groups.length,
    open: (group) => gateway.openGroup(group, folder.paths.journal(group)),
    destination: (group) => ({
      kind: 'file',
      format: 'parquet',
      path: folder.paths.batch(group),
      temporary: folder.paths.partialBatch(group),
    }),
    signal: options.signal,
  });
  const commits = commitGroups(executor, { plan, folder, gateway, summary, options });
  await untilAborted(Promise.race([commits, gateway.lost]), options.signal);
  if (summary.rows === 0) throw noRows(plan, summary);
  options.onEvent({ type: 'run-end', rows: summary.rows, elapsedMs: performance.now() - started });
  return { path: folder.path, datasetName: folder.name, summary };
}

interface Commits {
  readonly plan: Plan;
  readonly folder: DatasetFolder;
  readonly gateway: GatewayHost;
  readonly summary: RunSummary;
  readonly options: RunOptions;
}

/** The rename of a group's file is its commit; its journal goes after that. */
async function commitGroups(executor: Executor, { plan, folder, gateway, summary, options }: Commits): Promise<void> {
  for await (const result of executor.run(rowGroups(plan))) {
    if ('file' in result.output) await commit(result.output.file);
    await gateway.closeGroup(result.group, { keepJournal: false });
    summary.add(result);
    await recordProgress(folder, { plan, summary });
    const { group, rows, lost } = result;
    options.onEvent({ type: 'row-group-end', group, rows, lost });
  }
}

function rowsOf(plan: Plan): number {
  return plan.segments.reduce((sum, { rows }) => sum + rows, 0);
}

function noRows(plan: Plan, { lost }: RunSummary): DataDesignerError {
  const cause = lost[0] ? `column '${lost[0].column}': ${lost[0].message}` : 'unknown';
  return new DataDesignerError('run/no-rows', { rows: rowsOf(plan), cause });
}

/** The work, or `run/aborted` as soon as the signal says so. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new DataDesignerError('run/aborted', { reason: reasonOf(signal) }));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Error && reason.name !== 'AbortError' ? reason.message : 'by request';
}
