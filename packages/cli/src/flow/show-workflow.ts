import type { RunSettings } from '@data-designer/config';
import type { WorkflowEvent } from '@data-designer/workflow';
import type { ProgressSinks } from '../progress/progress-sink.ts';
import { showEvents, type ShowOptions } from '../progress/show-run.ts';

/** The ways to show a workflow. */
export const WORKFLOW_SINKS: ProgressSinks<WorkflowEvent> = {
  'json-lines': async () =>
    (await import('../progress/json-lines-sink.ts')).jsonLines(({ type }) => type === 'workflow-progress'),
  'plain-lines': async () => {
    const { WORKFLOW_TEXTS } = await import('./describe-workflow.ts');
    return (await import('../progress/plain-lines-sink.ts')).plainLines(WORKFLOW_TEXTS);
  },
  'terminal-panel': async () => {
    const { WORKFLOW_TEXTS } = await import('./describe-workflow.ts');
    const { openWorkflowPanel } = await import('./workflow-panel.ts');
    const { terminalPanel } = await import('../progress/terminal-panel.ts');
    return terminalPanel({ ...WORKFLOW_TEXTS, openPanel: openWorkflowPanel });
  },
};

/** Runs `work` and shows the events of its workflow on standard error until it is over. */
export function showWorkflow<Result>(
  flags: ShowOptions,
  runConfig: RunSettings,
  work: (onEvent: (event: WorkflowEvent) => void) => Promise<Result>,
): Promise<Result> {
  return showEvents({ ...flags, sinks: WORKFLOW_SINKS }, runConfig, (show) =>
    // The snapshot of the workflow contains the progress of its stages.
    work((event) => (event.type === 'stage-event' && event.event.type === 'progress' ? undefined : show(event))),
  );
}
