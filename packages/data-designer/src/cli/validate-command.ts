import { Command } from 'commander';
import { DataDesignerError, printViolation, type Violation } from '@data-designer/core';
import type { ConfigReport } from '../declaration/config-report.ts';
import type { CommandConfig } from './code-config/load-code-config.ts';
import { pluralize } from '../printing/format-numbers.ts';
import { type CommonFlags, examples, withCommonFlags } from './flags/common-flags.ts';
import { printJson } from './display/print-results.ts';

/** `data-designer validate SRC`: reports every mistake in a config before the first request. */
export function validateCommand(): Command {
  return withCommonFlags(
    new Command('validate').description('Report all mistakes in a config, without sending a request.'),
  )
    .addHelpText('after', examples('validate facts.yaml', 'validate facts.yaml --json'))
    .action(validate);
}

async function validate(source: string, flags: CommonFlags): Promise<void> {
  const { DataDesigner } = await import('../data-designer.ts');
  const { readCommon, readConfig } = await import('./flags/read-common-flags.ts');
  const declaration = await (flags.json ? readOrReport(source, flags) : readConfig(source, flags));
  const report =
    'violations' in declaration
      ? declaration
      : await new DataDesigner(readCommon(flags, declaration)).check(declaration);
  if (!report.runnable) process.exitCode = 1;
  if (flags.json) printJson(report);
  else print(source, report);
}

/** Reports an unreadable config as a violation, so that JSON output has one form. */
async function readOrReport(source: string, flags: CommonFlags): Promise<CommandConfig | ConfigReport> {
  const { readConfig } = await import('./flags/read-common-flags.ts');
  try {
    return await readConfig(source, flags);
  } catch (thrown) {
    const { code, message } = DataDesignerError.fromUnknown(thrown);
    if (code !== 'config/unreadable' && code !== 'config/code-failed') throw thrown;
    const violation = { stage: 'load', type: code, level: 'ERROR', column: null, path: '', message } as const;
    const violations = [{ ...violation, remedy: 'Correct the file, or its path.' }];
    return { valid: false, runnable: false, violations, normalized: null, fingerprint: null };
  }
}

function print(source: string, { runnable, violations, normalized }: ConfigReport): void {
  for (const violation of violations) process.stdout.write(`${line(violation)}\n`);
  const errors = violations.filter(({ level }) => level === 'ERROR').length;
  if (!runnable) {
    process.stdout.write(`${source} has ${pluralize(errors, 'mistake')}.\n`);
    return;
  }
  const names = normalized?.data_designer.columns.map(({ name }) => String(name)) ?? [];
  process.stdout.write(`${source} is valid: ${names.join(', ')}\n`);
}

function line(violation: Omit<Violation, 'column'>): string {
  return `${violation.level === 'ERROR' ? 'Error' : 'Warning'}: ${printViolation(violation)}`;
}
