import { type Plan, refuseStopped } from '@data-designer/core';
import { DEFAULT_FORMAT, openDatasetFolder, UnusedFolder } from '@data-designer/dataset';
import { finishDataset } from './commit/finish-dataset.ts';
import { refuseTerminal, replaceDamagedMetadata } from './commit/process-dataset.ts';
import { endOf } from './endings/run-ending.ts';
import { type MadeRowGroups, makeRowGroups, noRows } from './make-row-groups.ts';
import { reportFolder } from './progress/report-start.ts';
import { groupsLeft, planOf } from './resume/continue-run.ts';
import type { RequestedRunOptions } from './run-options.ts';
import type { RunResult } from './run-result.ts';
import { isSelecting } from './select/candidate-plan.ts';
import { RunSummary } from './run-summary.ts';
import { makeWithSchedulerEvents } from './scheduler-events/with-scheduler-events.ts';

/** Runs a plan: opens the folder, continues an earlier run, makes the row groups that are left, finishes the dataset. */
export async function run(fresh: Plan, requested: RequestedRunOptions): Promise<RunResult> {
  if (isSelecting(fresh)) return (await import('./select/run-selected.ts')).runSelected(fresh, requested, run);
  refuseStopped(requested);
  const startedAt = performance.now();
  const isResume = requested.resume === 'always';
  const { run: clusterRun, isLost } = requested.machines ?? {};
  await using folder = await openDatasetFolder({ ...requested, resume: isResume, clusterRun, isLost });
  await using unused = new UnusedFolder(folder.path, { wasThere: isResume || folder.isReused });
  reportFolder(folder, requested);
  const { plan: planned, prior } = await planOf(fresh, folder, requested);
  const options = { ...requested, format: requested.format ?? prior?.format ?? DEFAULT_FORMAT };
  if (isResume) await replaceDamagedMetadata(folder, prior?.plan ?? planned, options);
  if (prior) await refuseTerminal(folder, planned);
  const summary = new RunSummary();
  const { left, partial } = await groupsLeft(planned, { folder, summary, prior, options });
  const started = { folder, unused, summary, prior, partial, options };
  const make = options.writeSchedulerEvents ? makeWithSchedulerEvents : makeRowGroups;
  const { plan, ended, failure } = await folder.whileHeld(async () => {
    const made: MadeRowGroups = left.length > 0 ? await make(planned, left, started) : { plan: planned };
    const isComplete = summary.rows > 0 && !made.ended;
    await finishDataset(folder, { plan: made.plan, summary, isComplete }, options);
    await options.machines?.end(folder.paths);
    return made;
  });
  if (failure) throw failure;
  if (ended?.code === 'run/aborted') throw ended;
  if (summary.rows === 0) throw ended ?? noRows(plan, summary);
  const elapsedMs = performance.now() - startedAt;
  options.onEvent({ type: 'run-end', rows: summary.rows, elapsedMs, ended: endOf(ended), ...summary.findings });
  return { path: folder.path, datasetName: folder.name, divertedFrom: folder.divertedFrom, plan, summary, ended };
}
