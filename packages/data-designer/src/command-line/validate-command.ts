import { isFailure } from '@data-designer/core';
import { Command } from 'commander';
import { type CommonFlags, readCommon, readSource, withCommonFlags } from './flags.ts';
import { printJson } from './print-results.ts';

/** `data-designer validate SRC`: finds every mistake that can be found before the first request. */
export function validateCommand(): Command {
  return withCommonFlags(
    new Command('validate').description('Find the mistakes of a config file; nothing is asked or written.'),
  ).action(validate);
}

async function validate(source: string, flags: CommonFlags): Promise<void> {
  const { DataDesigner } = await import('../data-designer.ts');
  const declaration = readSource(source);
  const designer = new DataDesigner(readCommon(flags));
  try {
    const plan = designer.validate(declaration);
    if (flags.json) printJson({ valid: true, violations: [], fingerprint: plan.fingerprint, plan });
    else process.stdout.write(`${source} is valid: ${plan.columns.map(({ name }) => name).join(', ')}\n`);
  } catch (thrown) {
    if (!flags.json || !isFailure(thrown, 'config/invalid')) throw thrown;
    printJson({ valid: false, violations: thrown.data.violations });
    process.exitCode = 1;
  }
}
