import { DataDesignerError, isFailure, printViolation } from '@data-designer/core';
import { DataDesigner } from '@data-designer/designer';
import { failureReport } from '@data-designer/declaration';
import { addStages, readFlow, type StageReport } from '@data-designer/workflow';
import { pluralize } from '@data-designer/printing';
import { printJson } from '../display/print-results.ts';
import { readCommon, readConfig, readStageConfig } from '../flags/read-common-flags.ts';
import type { ValidateFlags } from '../flags/common-flags.ts';

/** Checks the stages of a workflow, each with the columns of those that it reads, and reports the mistakes of all of them. */
export async function validateFlow(source: string, flags: ValidateFlags): Promise<void> {
  try {
    const stages = await checkFlow(source, flags);
    if (flags.json) return printJson({ valid: true, runnable: true, stages });
    for (const { stage, columns, warnings } of stages) {
      for (const warning of warnings) process.stdout.write(`Warning: ${printViolation(warning)}\n`);
      process.stdout.write(`Stage '${stage}' is valid: ${columns.join(', ')}\n`);
    }
  } catch (thrown) {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (flags.json && failure.code !== 'internal/unexpected') {
      process.exitCode = 1;
      return printJson({ valid: false, runnable: false, error: failureReport(failure) });
    }
    if (!isFailure(thrown, 'config/invalid')) throw thrown;
    process.exitCode = 1;
    const { violations } = thrown.data;
    for (const violation of violations) process.stdout.write(`Error: ${printViolation(violation)}\n`);
    process.stdout.write(`${source} has ${pluralize(violations.length, 'mistake')}.\n`);
  }
}

async function checkFlow(source: string, flags: ValidateFlags): Promise<readonly StageReport[]> {
  const declaration = await readConfig(source, flags);
  const flow = await readFlow(declaration, (path) => readStageConfig(path, flags));
  await using designer = new DataDesigner(readCommon(flags, declaration));
  return await addStages(designer.composeWorkflow(flow.name), flow).check({ numRecords: flags.numRecords });
}
