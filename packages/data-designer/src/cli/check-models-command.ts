import { Command } from 'commander';
import type { AliasCheck } from '@data-designer/engine';
import { type CommonFlags, examples, withCommonFlags } from './flags/common-flags.ts';
import { drainOnSignals } from './signals.ts';
import { printJson } from './display/print-results.ts';

/** `data-designer check-models SRC`: checks that every model and tool provider in use answers. */
export function checkModelsCommand(): Command {
  return withCommonFlags(
    new Command('check-models').description(
      'Check the models and tools that a config uses: send a small request to each model, and list the tools.',
    ),
  )
    .addHelpText('after', examples('check-models facts.yaml'))
    .action(checkModels);
}

async function checkModels(source: string, flags: CommonFlags): Promise<void> {
  const { DataDesigner } = await import('../data-designer.ts');
  const { readCommon, readConfig } = await import('./flags/read-common-flags.ts');
  const declaration = await readConfig(source, flags);
  const designer = new DataDesigner(readCommon(flags, declaration));
  using interrupts = drainOnSignals();
  const checks = await designer.checkModels(declaration, { signal: interrupts.drain });
  const ready = checks.every(({ status }) => status !== 'failed');
  if (!ready) process.exitCode = 1;
  if (flags.json) printJson({ ready, checks });
  else process.stdout.write(print(source, checks));
}

function print(source: string, checks: readonly AliasCheck[]): string {
  if (checks.length === 0) return `${source} uses no models and no tools.\n`;
  return checks.map((check) => `${check.kind} ${check.alias}: ${describeStatus(check)}\n`).join('');
}

function describeStatus({ status, code, message, tools }: AliasCheck): string {
  if (status === 'ok') return tools === null ? 'ok' : `ok, with ${tools.join(', ')}`;
  return status === 'skipped' ? `skipped, ${message}` : `failed [${code}]: ${message}`;
}
