import { loadPlugins } from '@data-designer/columns';
import { typeOf } from '@data-designer/config';
import { DataDesignerError, type PlannedColumn } from '@data-designer/core';
import type { ExecutorJob } from './make-row-groups.ts';
import type { MadeRows } from './row-source.ts';
import { joinObservers } from '../run-observer.ts';
import { SchedulerEvents } from '../scheduler-events/scheduler-events.ts';

/** Has the rows of a dataset made, and writes `scheduler_events.jsonl` in its folder meanwhile. */
export async function withSchedulerEvents(
  job: ExecutorJob,
  makeRows: (job: ExecutorJob) => Promise<MadeRows>,
): Promise<MadeRows> {
  const { plan, options, paths } = job;
  const found = await job.left();
  const watched = { ...job, left: () => Promise.resolve(found) };
  if (found.left.length === 0) return makeRows(watched);
  const registry = await loadPlugins(plan.plugins ?? []);
  const isLocal = ({ config }: PlannedColumn): boolean => 'fill' in typeOf(config, registry);
  const parts = { path: paths.schedulerEvents, left: found.left, isLocal, onEvent: options.onEvent };
  const events = new SchedulerEvents(plan, parts);
  const observer = joinObservers([options.observer, events.observer]);
  try {
    const made = await makeRows({ ...watched, options: { ...options, observer } });
    const reason = made.failure ?? made.ended;
    await events.end(made.failure ? 'error' : reason ? outcomeOf(reason, 'early_shutdown') : 'success');
    return made;
  } catch (failure) {
    await events.end(outcomeOf(DataDesignerError.fromUnknown(failure), 'error'));
    throw failure;
  }
}

function outcomeOf<Other extends string>({ code }: DataDesignerError, other: Other): 'cancelled' | Other {
  return code === 'run/aborted' ? 'cancelled' : other;
}
