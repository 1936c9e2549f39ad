import { Command } from 'commander';
import { isFailure } from '@data-designer/core';
import {
  type ConfigReport,
  failureReport,
  type FailureReport,
  printReported,
  printSeed,
  type ReportedViolation,
} from '@data-designer/declaration';
import { pluralize } from '@data-designer/printing';
import { type CommonFlags, examples, type ValidateFlags, withCommonFlags } from './flags/common-flags.ts';
import { optionsIn, withOptions } from './flags/option-flags.ts';
import { withoutUse } from './flags/refuse-unused.ts';
import { printJson } from './display/print-results.ts';

/** `data-designer validate SRC`: reports every mistake in a config before the first request. */
export function validateCommand(): Command {
  const command = new Command('validate').description('Report all mistakes in a config, without sending a request.');
  withCommonFlags(withOptions(command, 'validate'));
  return withoutUse<ValidateFlags>(command, ['seed', 'maxDurationSeconds'])
    .addHelpText('after', examples('validate facts.yaml', 'validate facts.yaml -n 1000 --json'))
    .action(validate);
}

async function validate(source: string, common: CommonFlags, command: Command): Promise<void> {
  const flags = { ...common, numRecords: optionsIn(command, 'validate').numRecords };
  if (await isFlowFile(source, flags)) {
    const { validateFlow } = await import('./flow/validate-flow.ts');
    return validateFlow(source, flags);
  }
  if (flags.json) return validateAsJson(source, flags);
  const report = await check(source, flags);
  if (errorsIn(report.violations).length > 0) process.exitCode = 1;
  print(source, report);
}

/** Whether a file declares a workflow; a file that cannot be read is reported later. */
async function isFlowFile(source: string, flags: CommonFlags): Promise<boolean> {
  if (!/\.(?:ya?ml|json)$/i.test(source) || /^[a-z][a-z\d+.-]+:\/\//i.test(source)) return false;
  const { isFlow, readConfig } = await import('./flags/read-common-flags.ts');
  return readConfig(source, { ...flags, args: [] }).then(isFlow, () => false);
}

async function check(source: string, flags: ValidateFlags): Promise<ConfigReport> {
  const { DataDesigner } = await import('@data-designer/designer/data-designer');
  const { readCommon, readConfig } = await import('./flags/read-common-flags.ts');
  const declaration = await readConfig(source, flags);
  return new DataDesigner(readCommon(flags, declaration)).check(declaration, { numRecords: flags.numRecords });
}

function errorsIn(violations: ConfigReport['violations']): ConfigReport['violations'] {
  return violations.filter(({ level }) => level === 'ERROR');
}

/** Prints the report; the mistakes of a config that has some are in `error`, as in other commands. */
async function validateAsJson(source: string, flags: ValidateFlags): Promise<void> {
  const { violations, ...report } = await check(source, flags).catch(unreadReport);
  if (!('error' in report) && errorsIn(violations).length === 0) return printJson({ ...report, violations });
  process.exitCode = 1;
  printJson({ ...report, error: 'error' in report ? report.error : errorOf(source, violations) });
}

/** The report of a config that cannot be read. */
function unreadReport(thrown: unknown): ConfigReport & { readonly error: FailureReport } {
  if (!isFailure(thrown, 'config/unreadable') && !isFailure(thrown, 'config/code-failed')) throw thrown;
  const error = failureReport(thrown);
  return { valid: false, runnable: false, violations: [], normalized: null, fingerprint: null, seed: null, error };
}

/** The findings as the error that other commands print for a config with mistakes; warnings are among them. */
function errorOf(source: string, violations: ConfigReport['violations']): FailureReport {
  const message = `${source} has ${pluralize(errorsIn(violations).length, 'mistake')}.`;
  return { code: 'config/invalid', message, data: { source }, violations };
}

function print(source: string, { violations, normalized, seed, attempts = {} }: ConfigReport): void {
  for (const violation of violations) process.stdout.write(`${line(violation)}\n`);
  if (seed) process.stdout.write(printSeed(seed));
  const errors = errorsIn(violations).length;
  if (errors > 0) {
    process.stdout.write(`${source} has ${pluralize(errors, 'mistake')}.\n`);
    return;
  }
  const names = normalized?.data_designer.columns.map(({ name }) => String(name)) ?? [];
  process.stdout.write(`${source} is valid: ${names.join(', ')}\n`);
  for (const [block, { fewest, most }] of Object.entries(attempts)) {
    const bounds = fewest === most ? pluralize(most, 'attempt') : `${fewest} to ${pluralize(most, 'attempt')}`;
    process.stdout.write(`Attempts '${block}': ${bounds} for each row\n`);
  }
}

function line(violation: ReportedViolation): string {
  return `${violation.level === 'ERROR' ? 'Error' : 'Warning'}: ${printReported(violation)}`;
}
