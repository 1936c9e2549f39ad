import { checkOptions } from '@data-designer/config';
import type { AliasCheck } from '@data-designer/engine';
import { type StopOptions, stopRules, stopSignals } from '@data-designer/declaration';
import { checkWorkflow, type WorkflowParts } from './check-workflow.ts';
import type { CompiledStage } from './stage-maker.ts';

/** The result of checking an alias of a stage. */
export interface StageAliasCheck extends AliasCheck {
  /** The name of the stage. */
  readonly stage: string;
}

/** Checks the models and tools of all stages, one stage after another. Throws what `checkWorkflow` throws, and `run/aborted`. */
export async function checkStageModels(
  parts: WorkflowParts,
  options: StopOptions,
): Promise<readonly StageAliasCheck[]> {
  checkOptions(options, stopRules, 'checkModels()');
  const signals = stopSignals(options);
  const compiled: Pick<CompiledStage, 'plan' | 'skippedProbes'>[] = [];
  const stages = await checkWorkflow(parts, {
    onPlan: (plan, skippedProbes) => compiled.push({ plan, skippedProbes }),
  });
  const checks: StageAliasCheck[] = [];
  for (const [index, { stage }] of stages.entries()) {
    const found = compiled[index] ? await parts.maker.checkAliases(compiled[index], signals) : [];
    checks.push(...found.map((check) => ({ stage, ...check })));
  }
  return checks;
}
