import { formatCost, formatCount, formatDuration, pluralize } from '@data-designer/printing';
import type { StageSnapshot, WorkflowEvent, WorkflowSnapshot } from '@data-designer/workflow';
import { describeEvent } from '../progress/describe-event.ts';
import { describeLostRows, describeModel, describePace, describeRows } from '../progress/describe-progress.ts';
import type { EventTexts } from '../progress/progress-sink.ts';

/** The events of a workflow as text. */
export const WORKFLOW_TEXTS: EventTexts<WorkflowEvent, WorkflowSnapshot> = {
  snapshotOf: (event) => (event.type === 'workflow-progress' ? event.snapshot : undefined),
  describe: describeWorkflowEvent,
  describeProgress: describeWorkflow,
};

function describeWorkflowEvent(event: WorkflowEvent): string | undefined {
  switch (event.type) {
    case 'workflow-start':
      return `Workflow ${event.workflow}: ${pluralize(event.stages.length, 'stage')} into ${event.path}`;
    case 'workflow-progress':
      return undefined;
    case 'stage-start':
      return `Stage '${event.stage}': ${pluralize(event.rows, 'row')} to make`;
    case 'stage-reuse':
      return `Stage '${event.stage}': unchanged, ${pluralize(event.rows, 'row')}`;
    case 'stage-replace':
      return `Stage '${event.stage}': made again, because ${event.reason}`;
    case 'stage-input':
      return `Stage '${event.stage}': ${event.message}`;
    case 'stage-skip':
      return `Stage '${event.stage}': skipped, because stage '${event.upstream}' has no rows`;
    case 'stage-end':
      return `Stage '${event.stage}': ${pluralize(event.rows, 'row')} made`;
    case 'coordinator-change':
    case 'redis-lost':
    case 'redis-return':
    case 'redis-fail':
      return describeEvent(event);
    case 'stage-event':
      // The stage reports its rows itself, and the snapshot of the workflow its progress.
      return event.event.type === 'progress' || event.event.type === 'run-end'
        ? undefined
        : `${event.stage}: ${describeEvent(event.event).replaceAll('\n', `\n${event.stage}: `)}`;
  }
}

/** The progress of a workflow as one line. */
function describeWorkflow(snapshot: WorkflowSnapshot): string {
  return [
    describeStages(snapshot),
    ...snapshot.stages.flatMap((stage) => (stage.state === 'running' ? [describeRunning(stage)] : [])),
    ...describeTotals(snapshot),
  ].join('; ');
}

/** How many stages are done, running and waiting. */
export function describeStages({ stages }: WorkflowSnapshot): string {
  const count = (...states: readonly StageSnapshot['state'][]) =>
    stages.filter(({ state }) => states.includes(state)).length;
  const parts = [
    [count('running'), 'running'],
    [count('waiting'), 'waiting'],
    [count('stopped'), 'stopped'],
    [count('skipped'), 'skipped'],
  ] as const;
  return [
    `${formatCount(count('done', 'reused'))} of ${pluralize(stages.length, 'stage')} done`,
    ...parts.flatMap(([number, state]) => (number > 0 ? [`${formatCount(number)} ${state}`] : [])),
  ].join(', ');
}

function describeRunning({ stage, run, rows }: StageSnapshot): string {
  if (!run) return `${stage}: ${rows.wanted === null ? 'rows' : pluralize(rows.wanted, 'row')} to make`;
  const models = run.models.map((model) => `${model.model}: ${describeModel(model)}`);
  return [`${stage}: ${describeRows(run)}, ${describePace(run)}`, ...models, ...describeLostRows(run)].join('; ');
}

/** The requests, the cost and the time of all stages, with the stages whose figures are not known yet. */
export function describeTotals({ requests, cost, time }: WorkflowSnapshot): string[] {
  return [...(requests > 0 ? [pluralize(requests, 'request')] : []), ...describeCost(cost), ...describeTime(time)];
}

function describeCost({ soFar, known, unpriced, forecast, unknown, budget, left }: WorkflowSnapshot['cost']): string[] {
  if (known === 0 && budget === null && (soFar === null || !forecast)) return [];
  const missing = unpriced.length === 0 ? '' : ` + unknown (a model of ${unpriced.join(', ')} has no price)`;
  const others = unknown.length === 0 ? 'in all' : `without ${unknown.join(', ')}, whose cost is not known yet`;
  const line = [known, forecast, ...(left === null ? [] : [left, budget])];
  const amount = (one: number): string => formatCost(one, line);
  const parts = [
    `cost ${amount(known)}${missing}`,
    ...(forecast === null ? [] : [`about ${amount(forecast)} ${others}`]),
    ...(budget === null || left === null ? [] : [`${amount(left)} left of ${amount(budget)}`]),
  ];
  return [`${parts.join(', ')} (in the currency of your prices)`];
}

function describeTime({ etaSeconds, unknown }: WorkflowSnapshot['time']): string[] {
  if (etaSeconds === null || etaSeconds === 0) return [];
  const others = unknown.length === 0 ? 'left' : `left without ${unknown.join(', ')}, whose time is not known yet`;
  return [`${formatDuration(etaSeconds)} ${others}`];
}
