import { fittedTable, pluralize } from '@data-designer/printing';
import { describeEscaped } from '../display/describe-escaped.ts';
import { shellPath } from '../display/shell-path.ts';
import type { CompositeWorkflowResults, WorkflowAnalysis } from '@data-designer/workflow';
import { stageTable } from '@data-designer/results';
import { outcomeOf, printAttempts, printJson, printLosses } from '../display/print-results.ts';

/** Files and statistics made from a workflow. */
interface FlowExtras {
  readonly analysis: WorkflowAnalysis | undefined;
  /** The HTML file of the report. */
  readonly page: string | undefined;
  /** The file with the rows of the last stage. */
  readonly exported: string | undefined;
  /** The texts that differ in that file. */
  readonly escapedTexts: number;
}

const SIMULATED =
  '\nThe built-in simulator made these answers up. For real answers, name a provider and a model in the configs of the stages.\n';

/** The widest table of stages. */
const MAX_WIDTH = 120;

/** Prints the results of a workflow as one JSON object. */
export function printFlowJson(results: CompositeWorkflowResults, { analysis, page, exported }: FlowExtras): void {
  const { name, path, divertedFrom, cost, ended, summary } = results;
  const stages = summary.stages.map(({ stage, rows: records, ...took }) => {
    const made = results.stageResults.get(stage);
    return { stage, records, ...took, ...(made && outcomeOf(made)) };
  });
  printJson({
    name,
    path,
    ...(exported === undefined ? {} : { exported }),
    ...(analysis ? { report: page ?? analysis } : {}),
    ...(divertedFrom === null ? {} : { divertedFrom }),
    cost,
    knownCost: summary.total.knownCost,
    unpriced: summary.total.unpriced,
    ended,
    total: summary.total,
    stages,
  });
}

/** Prints what the stages of a workflow took, its losses, and its report if that has no file. */
export async function printFlow(
  results: CompositeWorkflowResults,
  { analysis, page, exported, escapedTexts }: FlowExtras,
): Promise<void> {
  const { path, stageResults, finalStageName, summary } = results;
  for (const [stage, made] of stageResults) {
    printLosses(made, `${stage}: `);
    printAttempts(made, `${stage}: `);
  }
  const width = Math.min(process.stdout.columns ?? MAX_WIDTH, MAX_WIDTH);
  process.stdout.write(`${fittedTable(stageTable(summary), { width, wrapped: ['stage'] }).join('\n')}\n\n`);
  const last = stageResults.get(finalStageName);
  if (last)
    process.stdout.write(
      `${last.count} of ${pluralize(last.requested, 'record')} of '${finalStageName}' in ${last.path}\n`,
    );
  if (exported !== undefined) process.stdout.write(`Exported to ${exported}\n${describeEscaped(escapedTexts)}`);
  if (page !== undefined) process.stdout.write(`Report in ${page}\n`);
  else if (analysis) process.stdout.write(`\n${await analysis.toReport()}`);
  if ([...stageResults.values()].some(({ simulated }) => simulated)) process.stdout.write(SIMULATED);
  if (last) process.stdout.write(`\nLook at the records:  npx data-designer show ${shellPath(last.path)}\n`);
  if (!analysis) process.stdout.write(`See the statistics:   npx data-designer report ${shellPath(path)}\n`);
  process.stdout.write(`In the browser:       npx data-designer view ${shellPath(path)}\n`);
}
