import type { LostWorkflow } from '@data-designer/cluster';
import { DataDesignerError, NEVER } from '@data-designer/core';
import { endOf } from '@data-designer/engine';
import { type ClusterSettings, stopSignals } from '@data-designer/declaration';
import type { WorkflowParts } from './check-workflow.ts';
import type { CompositeWorkflowResults } from './composite-workflow-results.ts';
import { loadStages } from './load-workflow.ts';
import { OwnWorkflow } from './own-workflow.ts';
import { planWorkflow } from './plan-workflow.ts';
import { runWorkflow } from './run-workflow.ts';
import type { WorkflowRunOptions } from './stage.ts';

/** How a workflow has ended that another machine did not complete, if that one could not record it. */
const ENDED = endOf(
  new DataDesignerError('run/aborted', { reason: 'the machine that coordinated the workflow ended it' }),
);

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
    let led: CompositeWorkflowResults<Row, OwnRow> | undefined;
    const path = await maker.rejoin(failure, {
      run,
      cluster,
      signals: stopSignals(options),
      functionsIn: own.functionsIn,
      leadWorkflow: async (lost, signals) => {
        led = await leadAgain<Row, OwnRow>(parts, { ...options, ...signals, cluster }, { lost, own });
      },
      onEvent: (event) => {
        if (event.type === 'coordinator-change') onEvent(event);
      },
    });
    if (led) return led;
    const { wanted, finalStage } = planWorkflow(parts, options);
    const load = (folder: string) => maker.load(folder, { unfinished: true });
    const stages = new Set(wanted.map(({ name }) => name));
    return (await loadStages(path, {
      load,
      wanted: stages,
      finalStage,
      ended: ENDED,
    })) as unknown as CompositeWorkflowResults<Row, OwnRow>;
  }
}

/** Coordinates the workflow once more, after its other coordinator was lost. */
function leadAgain<Row, OwnRow>(
  parts: WorkflowParts,
  { cluster, drain = NEVER, resume, ...options }: WorkflowRunOptions & { readonly cluster: ClusterSettings },
  again: { readonly lost: LostWorkflow; readonly own: OwnWorkflow },
): Promise<CompositeWorkflowResults<Row, OwnRow>> {
  return runWorkflow(
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
