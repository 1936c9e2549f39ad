import type { Violation } from '@data-designer/core';
import { TemporaryFolder } from '@data-designer/dataset';
import { stopSignals } from '../options/resolve-options.ts';
import { invalidWorkflow } from './invalid-workflow.ts';
import type { StageMaker } from './stage-maker.ts';
import { declareStage, sampleInput } from './stage-input.ts';
import type { StageOutput } from './stage-output.ts';
import type { Stage } from './stage.ts';

/** The stages of a workflow, and what makes them. */
export interface WorkflowParts {
  readonly name: string;
  readonly stages: readonly Stage[];
  readonly maker: StageMaker;
}

/** A stage without mistakes. */
export interface StageReport {
  /** The name of the stage. */
  readonly stage: string;
  /** The columns of its output. */
  readonly columns: readonly string[];
  /** Warnings about its config. */
  readonly warnings: readonly Violation[];
}

/**
 * Compiles the stages in order, each with a sample of the output that the plan of the one before describes. Sends no
 * request. Throws `config/invalid` and `workflow/invalid` for the first stage with mistakes.
 */
export async function checkWorkflow(
  { name: workflow, stages, maker }: WorkflowParts,
  { numRecords = 10 }: { readonly numRecords?: number | undefined } = {},
): Promise<readonly StageReport[]> {
  if (stages.length === 0) throw invalidWorkflow({ workflow }, 'it has no stages');
  await using scratch = await TemporaryFolder.make();
  const place = { workflow, folder: scratch.path };
  const outputs = new Map<string, Omit<StageOutput, 'records'>>();
  const reports: StageReport[] = [];
  for (const stage of stages) {
    const before = outputs.get(stage.dependsOn[0] ?? '');
    const input = before && (await sampleInput(stage, before, place));
    const warnings: Violation[] = [];
    const { plan, aliases } = await maker.compile(await declareStage(stage, input, place), {
      rows: stage.options.rows ?? (input ? 1 : numRecords),
      signals: stopSignals({}),
      onWarning: (warning) => warnings.push(warning),
    });
    outputs.set(stage.name, { stage: stage.name, path: '', fields: plan.fields, rows: 1, content: '', aliases });
    reports.push({ stage: stage.name, columns: plan.fields.map((field) => field.name), warnings });
  }
  return reports;
}
