import { copyTextPart, isMapping } from '@data-designer/config';
import { TemporaryFolder } from '@data-designer/dataset';
import { DataDesigner } from '@data-designer/designer';
import { type Declaration, DEFAULT_ROWS, type OptionsOf } from '@data-designer/declaration';
import { pluralize } from '@data-designer/printing';
import {
  addStages,
  type CompositeWorkflowResults,
  type Flow,
  readFlow,
  withoutInputsOfRuns,
} from '@data-designer/workflow';
import type { CommandConfig } from '../code-config/load-code-config.ts';
import { outcomeOf, printAttempts, printEarlyEnd, printJson, printLosses } from '../display/print-results.ts';
import { exitCodeOf } from '../exit-codes.ts';
import type { CommonFlags, DisplayFlags } from '../flags/common-flags.ts';
import { readCommon, readStageConfig } from '../flags/read-common-flags.ts';
import type { RecordFlags } from '../flags/record-flags.ts';
import { drainOnSignals } from '../signals.ts';
import { showWorkflow } from './show-workflow.ts';

/** Makes a few rows of every stage in a temporary folder, and shows them. */
export async function previewFlow(
  declaration: CommandConfig,
  flags: CommonFlags & DisplayFlags & RecordFlags,
  { numRecords = DEFAULT_ROWS, ...options }: OptionsOf<'preview'>,
): Promise<void> {
  const flow = withoutLimits(await readFlow(declaration, (path) => readStageConfig(path, flags)));
  const common = readCommon(flags, declaration);
  await using folder = await TemporaryFolder.make();
  await using designer = new DataDesigner({ ...common, artifactPath: folder.path });
  const workflow = addStages(designer.composeWorkflow(flow.name), flow, numRecords);
  using interrupts = drainOnSignals();
  const results = await showWorkflow({ ...flags, exits: interrupts.exits }, common.runConfig, (onEvent) =>
    workflow.run({
      ...options,
      signal: interrupts.drain,
      // The folders of a preview are deleted, so only its progress matters.
      onEvent: (event) => event.type === 'workflow-progress' && onEvent(event),
    }),
  );
  const { total } = results.summary;
  printEarlyEnd(results.ended);
  process.exitCode = exitCodeOf({ count: total.rows, requested: total.requested, ended: results.ended });
  // Awaited here, as the folder is deleted after that.
  await (flags.json ? printStages(results) : showStages(results, flags));
}

/** The stages without the rows that they ask for, selections and reviews: a preview shows what a few rows become. */
function withoutLimits({ name, stages }: Flow): Flow {
  return {
    name,
    stages: stages.map(({ options: { rows: _, select: __, ...options }, declared, ...stage }) => ({
      ...stage,
      options: withoutInputsOfRuns(options),
      declared: withoutSelect(declared),
    })),
  };
}

function withoutSelect(declared: Declaration): Declaration {
  const { document } = declared;
  if (!isMapping(document)) return declared;
  const wrapped = document['data_designer'];
  if (isMapping(wrapped))
    return { ...declared, document: { ...document, data_designer: { ...wrapped, select: null } } };
  if (document['select'] === undefined) return declared;
  return { ...declared, document: copyTextPart(document, { ...document, select: null }) };
}

async function printStages({ name, stageResults, summary, ended }: CompositeWorkflowResults): Promise<void> {
  const stages: object[] = [];
  for (const [stage, results] of stageResults)
    stages.push({ stage, records: await Array.fromAsync(results.records()), ...outcomeOf(results) });
  printJson({ name, ended, total: summary.total, stages });
}

/** Shows the first record of each stage, and all of the last one. */
async function showStages(
  { stageResults, finalStageName }: CompositeWorkflowResults,
  flags: RecordFlags,
): Promise<void> {
  const { showRecords } = await import('../display/show-records.ts');
  for (const [stage, results] of stageResults) {
    const isLast = stage === finalStageName;
    process.stdout.write(`\nStage '${stage}': ${results.count} of ${pluralize(results.requested, 'record')}\n`);
    if (results.count > 0)
      await showRecords(results.recordDisplay(), isLast ? flags : { ...flags, nonInteractive: true }, {
        first: 0,
        count: isLast ? results.count : 1,
      });
    printLosses(results);
    printAttempts(results);
  }
}
