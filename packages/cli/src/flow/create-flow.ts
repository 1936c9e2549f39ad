import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import type { DataDesignerError } from '@data-designer/core';
import { DataDesigner } from '@data-designer/designer';
import { addStages, type CompositeWorkflowResults, readFlow } from '@data-designer/workflow';
import type { CommandConfig } from '../code-config/load-code-config.ts';
import { clusterOf, type CreateFlags } from '../flags/create-flags.ts';
import type { RunViewer } from '../display/run-viewer.ts';
import { wordsToContinue } from '../display/interrupt-hint.ts';
import { printEarlyEnd } from '../display/print-results.ts';
import { exitCodeOf } from '../exit-codes.ts';
import { optionsIn } from '../flags/option-flags.ts';
import { readCommon, readStageConfig } from '../flags/read-common-flags.ts';
import { reportStopped } from '../report-failure.ts';
import { drainOnSignals } from '../signals.ts';
import { printFlow, printFlowJson } from './print-flow.ts';
import { SavedStages } from './saved-stages.ts';
import { showWorkflow } from './show-workflow.ts';

/** Makes the stages of a workflow that a file declares, and prints what they took. */
export async function createFlow(declaration: CommandConfig, flags: CreateFlags, command: Command): Promise<void> {
  if (flags.format === 'arrow')
    command.error(
      'error: --format arrow is for a single config: the stages of a workflow read Parquet files. Export the last stage to a file that ends in .arrow with data-designer export.',
    );
  const viewer = flags.view ? new (await import('../display/run-viewer.ts')).RunViewer(flags.plugins) : undefined;
  const saved = new SavedStages();
  const results = await makeStages(declaration, flags, { command, viewer, saved });
  if (results) await printResults(results, flags, saved);
  await viewer?.closed({ isInterrupted: !results });
}

async function printResults(results: CompositeWorkflowResults, flags: CreateFlags, saved: SavedStages): Promise<void> {
  const { ended, divertedFrom, path, name, finalStageName, stageResults, summary } = results;
  const analysis = flags.report === undefined ? undefined : await results.loadWorkflowAnalysis();
  const page = typeof flags.report === 'string' ? flags.report : undefined;
  if (page !== undefined) await analysis?.toReport({ savePath: page });
  const last = stageResults.get(finalStageName);
  const { format } = flags;
  let escapedTexts = 0;
  const onEscape = () => void escapedTexts++;
  const exported =
    last && format !== undefined && format !== 'parquet'
      ? await last.export(join(path, `${name}.${format}`), { onEscape })
      : undefined;
  printEarlyEnd(ended, ended?.code === 'select/exhausted' ? '' : saved.continuation(wordsToContinue(ended), name));
  const { rows: count, requested } = summary.total;
  process.exitCode = exitCodeOf({ count, requested, ended }, { strict: flags.strict, made: stageResults.values() });
  if (flags.json) return printFlowJson(results, { analysis, page, exported, escapedTexts });
  if (last && flags.show > 0 && last.count > 0) {
    const { showRecords } = await import('../display/show-records.ts');
    await showRecords(last.recordDisplay(), { nonInteractive: true }, { first: 0, count: flags.show });
  }
  await printFlow(results, { analysis, page, exported, escapedTexts });
  if (divertedFrom !== null)
    process.stdout.write(
      `${divertedFrom} contains another workflow, so this one is saved in ${path}. To continue the other one, use --resume always.\n`,
    );
}

/** Runs the workflow; undefined if it was interrupted. */
async function makeStages(
  declaration: CommandConfig,
  flags: CreateFlags,
  {
    command,
    viewer,
    saved,
  }: { readonly command: Command; readonly viewer: RunViewer | undefined; readonly saved: SavedStages },
): Promise<CompositeWorkflowResults | undefined> {
  const { numRecords, ...options } = optionsIn(command, 'run');
  const { datasetName } = optionsIn(command, 'create');
  const flow = await readFlow(declaration, (path) => readStageConfig(path, flags));
  const common = readCommon(flags, declaration);
  await using designer = new DataDesigner({ artifactPath: flags.artifactPath, ...common });
  const name = datasetName ?? flow.name;
  const workflow = addStages(designer.composeWorkflow(name), flow, numRecords);
  const sayHowToContinue = (): void => void process.stderr.write(saved.hint(process.argv.slice(2), name));
  using interrupts = drainOnSignals({ onSecond: sayHowToContinue, leavesOnTerm: flags.cluster !== undefined });
  try {
    return await showWorkflow({ ...flags, exits: interrupts.exits }, common.runConfig, (show) =>
      workflow.run({
        ...options,
        drain: interrupts.drain,
        cluster: clusterOf(flags, interrupts.leave),
        onEvent: (event) => {
          saved.count(event);
          if (event.type === 'stage-event' && event.event.type === 'run-start') viewer?.open(dirname(event.event.path));
          show(event);
        },
      }),
    );
  } catch (thrown) {
    const continuation = (end: DataDesignerError): string => saved.continuation(wordsToContinue(end), name);
    await reportStopped(thrown, flags, { sayHowToContinue, continuation });
    return undefined;
  }
}
