import { DataDesignerError, isFailure } from '@data-designer/core';
import { DataDesigner } from '../../data-designer.ts';
import type { CompositeWorkflowResults } from '../../workflow/composite-workflow-results.ts';
import { addStages, readFlow } from '../../workflow/flow-file.ts';
import type { WorkflowRunOptions } from '../../workflow/stage.ts';
import type { CommandConfig } from '../code-config/load-code-config.ts';
import type { CreateFlags } from '../flags/create-flags.ts';
import { printJson, outcomeOf } from '../display/print-results.ts';
import { exitCodeOfFailure } from '../exit-codes.ts';
import { readCommon, readConfig } from '../flags/read-common-flags.ts';
import { reportFailure } from '../report-failure.ts';
import { drainOnSignals } from '../signals.ts';
import { StageDisplay } from './stage-display.ts';

/** The flags of a workflow, with the rows of the first stage if they are given. */
interface FlowFlags extends CreateFlags {
  readonly givenRows: number | undefined;
  readonly givenName: string | undefined;
}

function sayHowToContinue(): void {
  process.stderr.write('Interrupted. All answers are saved; repeat the command with --resume always to continue.\n');
}

/** Makes the stages of a workflow that a file declares; returns the results of the last stage, unless it was not reached. */
export async function createFlow(
  declaration: CommandConfig,
  flags: FlowFlags,
): Promise<CompositeWorkflowResults | undefined> {
  const flow = await readFlow(declaration, (path) => readConfig(path, { ...flags, args: [] }));
  const common = readCommon(flags, declaration);
  const runConfig = { ...common.runConfig, ...(flags.compact === undefined ? {} : { compact: flags.compact }) };
  await using designer = new DataDesigner({ artifactPath: flags.artifactPath, ...common, runConfig });
  const name = flags.givenName ?? flow.name;
  const workflow = addStages(designer.composeWorkflow(name), flow, flags.givenRows);
  using interrupts = drainOnSignals(sayHowToContinue);
  const display = new StageDisplay({ ...flags, exits: interrupts.exits }, runConfig, flow.stages.length);
  try {
    const results = await workflow.run({ ...runOptions(flags), drain: interrupts.drain, onEvent: display.take });
    await display.end();
    return results;
  } catch (thrown) {
    await display.end(thrown);
    if (!isFailure(thrown, 'run/aborted')) throw thrown;
    if (flags.json) reportFailure(DataDesignerError.fromUnknown(thrown), { json: true });
    sayHowToContinue();
    process.exitCode = exitCodeOfFailure(thrown);
    return undefined;
  }
}

function runOptions({ resume, targets, rerunFrom, override, reRequest, rebuy }: FlowFlags): WorkflowRunOptions {
  return {
    resume,
    rebuy: reRequest || rebuy,
    ...(targets.length > 0 && { targets }),
    ...(rerunFrom !== undefined && { rerunFrom }),
    ...(override && { overrides: override }),
  };
}

/** Prints the results of a workflow as one JSON object. */
export function printFlowJson(results: CompositeWorkflowResults): void {
  const stages = [...results.items()].map(([stage, made]) => ({
    stage,
    path: made.path,
    records: made.count,
    reused: results.reusedStages.has(stage),
    ...outcomeOf(made),
  }));
  const { name, path, divertedFrom, cost, ended } = results;
  printJson({ name, path, ...(divertedFrom === null ? {} : { divertedFrom }), cost, ended, stages });
}
