import { printViolation } from '@data-designer/core';
import { DataDesigner } from '../../data-designer.ts';
import { addStages, readFlow } from '../../workflow/flow-file.ts';
import { printJson } from '../display/print-results.ts';
import type { CommonFlags } from '../flags/common-flags.ts';
import { readCommon, readConfig } from '../flags/read-common-flags.ts';

/** Checks the stages of a workflow in order, each with the columns of the one before. Throws for the first with mistakes. */
export async function validateFlow(source: string, flags: CommonFlags): Promise<void> {
  const declaration = await readConfig(source, flags);
  const flow = await readFlow(declaration, (path) => readConfig(path, { ...flags, args: [] }));
  await using designer = new DataDesigner(readCommon(flags, declaration));
  const stages = await addStages(designer.composeWorkflow(flow.name), flow).check();
  if (flags.json) return printJson({ valid: true, runnable: true, stages });
  for (const { stage, columns, warnings } of stages) {
    for (const warning of warnings) process.stdout.write(`Warning: ${printViolation(warning)}\n`);
    process.stdout.write(`Stage '${stage}' is valid: ${columns.join(', ')}\n`);
  }
}
