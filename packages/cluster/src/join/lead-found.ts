import { isFailure } from '@data-designer/core';
import { secondsOf } from '../session/lead-session.ts';
import type { SessionWatch } from '../session/session-watch.ts';
import type { SelectionRecord } from '../start-record.ts';
import type { FoundSession } from './find-runs.ts';
import type { PartOptions } from './joined-machine.ts';
import { leadSelection } from './lead-selection.ts';
import { refuseOtherCode } from './read-shared.ts';

/** Continues a selection or a workflow whose coordinator is lost. */
export async function leadFound(found: FoundSession, options: PartOptions, watch: SessionWatch): Promise<void> {
  const { holder } = watch;
  try {
    await (isSelection(found) ? leadSelection(found, options, holder) : leadWorkflow(found, options, holder));
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
  holder: string,
): Promise<void> {
  if (session.kind !== 'workflow') return;
  await refuseOtherCode(session, paths, options);
  const { leaseMs, successor } = session;
  const spentSeconds = await secondsOf(paths, run, holder);
  const { signal, drain } = options;
  const lost = { run, holder, path: paths.folder, leaseMs, successor, spentSeconds };
  await options.leadWorkflow(lost, { signal, drain });
}

function isSelection(found: FoundSession): found is FoundSession<SelectionRecord> {
  return found.session.kind === 'selection';
}
