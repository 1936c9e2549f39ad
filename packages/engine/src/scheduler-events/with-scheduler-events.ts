import { loadPlugins } from '@data-designer/columns';
import { typeOf } from '@data-designer/config';
import { DataDesignerError, type Plan, type PlannedColumn, type RowGroup } from '@data-designer/core';
import { type MadeRowGroups, makeRowGroups, type StartedRun } from '../make-row-groups.ts';
import { joinObservers } from '../run-observer.ts';
import { SchedulerEvents } from './scheduler-events.ts';

/** Makes the row groups that are left and writes `scheduler_events.jsonl` in the dataset's folder meanwhile. */
export async function makeWithSchedulerEvents(
  plan: Plan,
  left: readonly RowGroup[],
  run: StartedRun,
): Promise<MadeRowGroups> {
  const { options, folder } = run;
  const registry = await loadPlugins(plan.plugins ?? []);
  const isLocal = ({ config }: PlannedColumn): boolean => 'fill' in typeOf(config, registry);
  const parts = { path: folder.paths.schedulerEvents, left, isLocal, onEvent: options.onEvent };
  const events = new SchedulerEvents(plan, parts);
  const observer = joinObservers([options.observer, events.observer]);
  try {
    const made = await makeRowGroups(plan, left, { ...run, options: { ...options, observer } });
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
