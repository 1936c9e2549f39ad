import { isFailure } from '@data-designer/core';
import { type LedSession, type MachinePart, secondsOf } from '../session/lead-session.ts';
import type { SessionWatch } from './session-watch.ts';
import type { SelectionRecord } from '../start-record.ts';
import type { FoundSession } from './find-runs.ts';
import type { PartOptions } from './joined-machine.ts';
import { leadSelection } from './lead-selection.ts';
import { refuseOtherCode } from './read-shared.ts';

/** Continues a selection or a workflow whose coordinator is lost. */
export async function leadFound(found: FoundSession, options: PartOptions, watch: SessionWatch): Promise<void> {
  const machines = new Set<MachinePart>();
  using _ = options.joinProgress.count(machines);
  const led = { machine: options.machine, machines };
  try {
    await (isSelection(found) ? leadSelection(found, options, led) : leadWorkflow(found, options, led));
  } catch (thrown) {
    if (isFailure(thrown, 'cluster/cannot-lead') && !isSelection(found))
      return watch.refuse(found.run, thrown.data.reason);
    // Others go on: a machine that was suspended takes part in their runs.
    if (!isFailure(thrown, 'cluster/taken-over') && !isFailure(thrown, 'cluster/handed-over')) throw thrown;
  }
}

async function leadWorkflow(
  { run, session, paths }: FoundSession,
  options: PartOptions,
  { machine, machines }: LedSession,
): Promise<void> {
  if (session.kind !== 'workflow') return;
  await refuseOtherCode(session, paths, options);
  const { leaseMs, successor } = session;
  const spentSeconds = await secondsOf(paths, run, machine.text);
  const { signal, drain } = options;
  const lost = { run, machine, machines, path: paths.folder, leaseMs, successor, spentSeconds };
  await options.leadWorkflow(lost, { signal, drain });
}

function isSelection(found: FoundSession): found is FoundSession<SelectionRecord> {
  return found.session.kind === 'selection';
}
