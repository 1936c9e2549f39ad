import { NEVER } from '@data-designer/core';
import type { LostWorkflow } from '@data-designer/cluster';
import { stopSignals } from '../options/resolve-options.ts';
import type { WorkflowParts } from './check-workflow.ts';
import type { CompositeWorkflowResults } from './composite-workflow-results.ts';
import { loadStages } from './load-workflow.ts';
import { OwnWorkflow } from './own-workflow.ts';
import { planWorkflow } from './plan-workflow.ts';
import { runWorkflow } from './run-workflow.ts';
import type { WorkflowRunOptions } from './stage.ts';

/**
 * Makes a workflow; where another machine has taken over its coordination because this one was suspended, works on as an
 * ordinary machine, and loads the stages once the workflow is over.
 */
export async function runOrRejoin<Row, OwnRow>(
  parts: WorkflowParts,
  options: WorkflowRunOptions,
): Promise<CompositeWorkflowResults<Row, OwnRow>> {
  const own = new OwnWorkflow();
  try {
    return await runWorkflow(parts, options, { own });
  } catch (failure) {
    const { cluster, onEvent = () => {} } = options;
    const { run } = own;
    if (!cluster || run === undefined) throw failure;
    const { maker } = parts;
    const path = await maker.rejoin(failure, {
      run,
      cluster,
      signals: stopSignals(options),
      functionsIn: own.functionsIn,
      leadWorkflow: (lost, signals) => leadAgain(parts, { ...options, ...signals }, { lost, own }),
      onEvent: (event) => {
        if (event.type === 'coordinator-change') onEvent(event);
      },
    });
    const { wanted, finalStage } = planWorkflow(parts, options);
    const load = (folder: string) => maker.load(folder, { unfinished: true });
    const stages = new Set(wanted.map(({ name }) => name));
    return (await loadStages(path, { load, wanted: stages, finalStage })) as unknown as CompositeWorkflowResults<
      Row,
      OwnRow
    >;
  }
}

/** Coordinates the workflow once more, after its other coordinator was lost. */
async function leadAgain(
  parts: WorkflowParts,
  { cluster, drain = NEVER, resume, ...options }: WorkflowRunOptions,
  again: { readonly lost: LostWorkflow; readonly own: OwnWorkflow },
): Promise<void> {
  if (!cluster) return;
  await runWorkflow(
    parts,
    {
      ...options,
      resume: resume === 'if_possible' ? resume : 'always',
      // This machine leaves the workflow when it is stopped; it does not end it.
      cluster: { ...cluster, leave: drain },
    },
    again,
  );
}
