import { failedPart } from '@data-designer/core';
import { DataDesigner } from '@data-designer/designer';
import { addCosts, costCell, formatCount, formatDuration, pluralize, textTable } from '@data-designer/printing';
import type { ModelForecast, RehearsalOptions } from '@data-designer/rehearsal';
import { addStages, readFlow, type WorkflowRehearsal } from '@data-designer/workflow';
import type { CommandConfig } from '../code-config/load-code-config.ts';
import { printJson } from '../display/print-results.ts';
import type { CommonFlags, DisplayFlags } from '../flags/common-flags.ts';
import { readCommon, readStageConfig } from '../flags/read-common-flags.ts';
import { showRun } from '../progress/show-run.ts';
import { drainOnSignals } from '../signals.ts';

/** Estimates the stages of a workflow that a file declares, and prints the estimate. */
export async function rehearseFlow(
  declaration: CommandConfig,
  rates: RehearsalOptions,
  flags: CommonFlags & DisplayFlags,
): Promise<void> {
  const flow = await readFlow(declaration, (path) => readStageConfig(path, flags));
  const common = readCommon(flags, declaration);
  await using designer = new DataDesigner(common);
  const workflow = addStages(designer.composeWorkflow(flow.name), flow, rates.numRecords);
  using interrupts = drainOnSignals();
  const rehearsal = await showRun({ ...flags, exits: interrupts.exits }, common.runConfig, (take) =>
    workflow.rehearse({
      ...rates,
      signal: interrupts.drain,
      // The sample's folders and their end say nothing about the real run.
      onEvent: (event) => event.type === 'progress' && take(event),
    }),
  );
  if (flags.json) printJson(rehearsal);
  else process.stdout.write(printFlowRehearsal(rehearsal));
}

const HEAD = ['stage', 'rows', 'rehearsed', 'requests', 'input tokens', 'output tokens', 'cost', 'time'];

function printFlowRehearsal({ stages, assumptions, wallMs, ...total }: WorkflowRehearsal): string {
  const lines = stages.map(({ stage, counts: counted, rows, sample, wall, ...counts }) => [
    stage,
    counted === 'rows' ? formatCount(rows) : pluralize(rows, 'candidate'),
    formatCount(sample.rows),
    ...formatCounts(counts, counts.models),
    formatDuration(wall.ms / 1000),
  ]);
  const all = [
    'total',
    '',
    '',
    ...formatCounts(
      total,
      stages.flatMap(({ models }) => models),
    ),
    formatDuration(wallMs / 1000),
  ];
  const lost = stages.flatMap(({ stage, sample }) =>
    sample.lost.map(
      (one) =>
        `${stage}: ${formatCount(one.rows)} of the rehearsed rows lost in ${failedPart(one.column, one.code)}: ${one.message}`,
    ),
  );
  return [
    ...textTable([HEAD, ...lines, all], { rightFrom: 1 }),
    '',
    ...(lost.length === 0 ? [] : [...lost, '']),
    'Assumptions:',
    ...assumptions.map((assumption) => `- ${assumption}`),
    '',
  ].join('\n');
}

function formatCounts(
  { requests, inputTokens, outputTokens }: Pick<WorkflowRehearsal, 'requests' | 'inputTokens' | 'outputTokens'>,
  models: readonly ModelForecast[],
): string[] {
  // Stages may use the same alias for different models.
  const cost = costCell(addCosts(Object.fromEntries(models.entries())));
  return [...[requests, inputTokens, outputTokens].map(formatCount), cost];
}
