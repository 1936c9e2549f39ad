import { mkdir } from 'node:fs/promises';
import { DataDesignerError, NEVER, type Plan, refuseStopped, rowGroups } from '@data-designer/core';
import { datasetPaths, sideTables, TemporaryFolder } from '@data-designer/dataset';
import { journalRecovery } from './resume/group-recovery.ts';
import { processStreams } from './commit/process-dataset.ts';
import { connect } from './connect/connect.ts';
import { droppedTools } from './connect/list-tools.ts';
import { openExecutor } from './executor/open-executor.ts';
import type { RunEvent } from './run-event.ts';
import { RunProgress } from './progress/run-progress.ts';
import { reportProgress } from './progress/report-progress.ts';
import { RunEnding } from './endings/run-ending.ts';
import { untilEnded } from './endings/until-ended.ts';
import { findStructuredOutput } from './readiness/find-structured-output.ts';
import type { RowGroupResult } from './row-group/row-group-result.ts';
import { noRows, tablesOf } from './make-row-groups.ts';
import type { PreviewOptions } from './preview-options.ts';
import type { RunResult } from './run-result.ts';
import { withoutSelect } from './select/candidate-plan.ts';
import { RunSummary } from './run-summary.ts';

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
    return { ...result, ended: ended && ofPreview(ended) };
  } catch (thrown) {
    throw thrown instanceof DataDesignerError ? ofPreview(thrown) : thrown;
  }
}

/** A failure whose message does not speak of saved answers, and of a resume, where it did. */
function ofPreview(failure: DataDesignerError): DataDesignerError {
  const { code, data, cause } = failure;
  const told = new DataDesignerError(code, { ...(data as object), isPreview: true } as never, { cause });
  return told.message === failure.message ? failure : told;
}

async function makePreview(compiled: Plan, options: PreviewOptions): Promise<PreviewResult> {
  refuseStopped(options);
  // Only files store dropped columns.
  const planned = { ...withoutSelect(compiled), dropped: null };
  const groups = [...rowGroups(planned)];
  const summary = new RunSummary();
  const outputs = new Map<number, Extract<RowGroupResult['output'], { bytes: unknown }>>();
  const { onEvent = () => {} } = options;
  const progress = new RunProgress(planned, { summary, groups });
  using ending = new RunEnding(options.ends);
  const reportFunctions = (event: RunEvent): void => {
    if (event.type === 'column-log' || event.type === 'function-wait') onEvent(event);
  };
  const listeners = { onEvent: reportFunctions, onProgress: ending.observing(progress.onProgress) };
  await using executor = openExecutor(planned, { ...options, groups: groups.length, ...listeners });
  await using folder = await TemporaryFolder.make();
  const { journal, journals, table, scratch } = datasetPaths(folder.path);
  const tables = await tablesOf(planned, { file: table, scratch }, options);
  await using connection = await connect(planned, { ...options, onModels: progress.onModels });
  const { gateway } = connection;
  const { plan, usage } = await findStructuredOutput(planned, gateway, options);
  summary.addUsage({ usage });
  summary.addDroppedTools(await droppedTools(plan, connection.tools));
  // Deleted with the folder: journals serve groups that lose their worker.
  await mkdir(journals);
  const channel = {
    plan,
    tables: tables.files,
    open: (group: number) => {
      progress.open(group);
      options.observer?.onGroupStart?.(group);
      return gateway.openGroup(group, journal(group));
    },
    recovery: journalRecovery({ journal }, connection.tools),
    destination: () => ({ kind: 'memory' }) as const,
    redact: gateway.redact.bind(gateway),
  };
  using _ = reportProgress(progress, onEvent);
  const collect = async (): Promise<void> => {
    for await (const result of ending.follow(executor.run(ending.untilReason(groups), channel))) {
      if (result.output && 'bytes' in result.output) outputs.set(result.group, result.output);
      summary.add(result);
      progress.close(result);
      // Hands on the records of its calls.
      if (options.observer) await gateway.closeGroup(result.group, { keepJournal: false });
      options.observer?.onGroupEnd?.(result);
    }
  };
  const signal = AbortSignal.any([options.signal, options.drain]);
  await untilEnded(collect(), ending, { gateway, signal, drain: NEVER });
  if (ending.failure) throw ending.failure;
  const ended = ending.reason;
  // A processor may remove all rows; that is no failure.
  if (summary.rows === 0 && (ended || summary.lost.length > 0)) throw ended ?? noRows(plan, summary);
  const made = groups.flatMap(({ index }) => outputs.get(index) ?? []);
  const tablesByProcessor = sideTables(plan).map(
    ({ processor }, at) => [processor ?? '', made.flatMap((output) => output.sideTables?.[at] ?? [])] as const,
  );
  const { streams, rows } = await processStreams(
    made.map(({ bytes }) => bytes),
    plan,
    { ...options, signal, onEvent },
  );
  if (rows !== undefined) summary.settleRows(rows);
  return { batches: streams, sideTables: Object.fromEntries(tablesByProcessor), plan, summary, ended };
}
