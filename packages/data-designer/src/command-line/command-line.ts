import { readFileSync } from 'node:fs';
import { DataDesignerError } from '@data-designer/core';
import { Command, CommanderError } from 'commander';
import { createCommand } from './create-command.ts';
import { previewCommand } from './preview-command.ts';
import { validateCommand } from './validate-command.ts';

/** Runs one command line and gives its exit code: 0, 1 for a failure, 2 for a usage error, 130 after an interrupt. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const program = new Command('data-designer')
    .description('Synthetic datasets from declared columns: samplers, templates, language models with tools.')
    .version(version())
    .exitOverride()
    .showHelpAfterError('(--help says more)');
  for (const command of [previewCommand(), createCommand(), validateCommand()])
    program.addCommand(command.exitOverride());
  try {
    await program.parseAsync([...args], { from: 'user' });
    return typeof process.exitCode === 'number' ? process.exitCode : 0;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
    return report(thrown);
  }
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function report(thrown: unknown): number {
  const failure = DataDesignerError.fromUnknown(thrown);
  process.stderr.write(`Error [${failure.code}]: ${failure.message}\n`);
  if (failure.code === 'internal/unexpected' && failure.cause instanceof Error) {
    process.stderr.write(`${failure.cause.stack ?? ''}\n`);
  }
  return failure.code === 'run/aborted' ? 130 : 1;
}
