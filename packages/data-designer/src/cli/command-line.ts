import { Command, CommanderError } from 'commander';
import { DataDesignerError, isFailure } from '@data-designer/core';
import { type EnvironmentFile, loadEnvironmentFile } from './environment-file.ts';
import { checkModelsCommand } from './check-models-command.ts';
import { configCommand } from './config-command.ts';
import { createCommand } from './create-command.ts';
import { exitCodeOfFailure, exitCodesInHelp } from './exit-codes.ts';
import { exportCommand } from './export-command.ts';
import { mcpCommand } from './mcp-command.ts';
import { previewCommand } from './preview-command.ts';
import { rehearseCommand } from './rehearse-command.ts';
import { reportCommand } from './report-command.ts';
import { showCommand } from './show-command.ts';
import { validateCommand } from './validate-command.ts';
import { packageVersion } from '../options/package-version.ts';

/** The table of commands and flags. */
export function createProgram(): Command {
  const program = new Command('data-designer')
    .description('Synthetic datasets from declared columns: samplers, templates, language models with tools.')
    .version(packageVersion())
    .showHelpAfterError('(see --help)')
    .addHelpText('after', '\nKeys are read from the environment, then from ./.env.')
    .addHelpText('afterAll', `\n${exitCodesInHelp()}`);
  const commands = [
    previewCommand(),
    createCommand(),
    rehearseCommand(),
    exportCommand(),
    showCommand(),
    reportCommand(),
    validateCommand(),
    checkModelsCommand(),
    configCommand(),
    mcpCommand(),
  ];
  for (const command of commands) program.addCommand(command);
  throwInsteadOfExit(program);
  return program;
}

/** Runs one command and returns its exit code (see `EXIT_CODES`). */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  let environmentFile: EnvironmentFile | undefined;
  const program = createProgram().hook('preAction', () => {
    environmentFile = readEnvironmentFile();
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return typeof process.exitCode === 'number' ? process.exitCode : 0;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
    return report(thrown, environmentFile);
  }
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const inner of command.commands) throwInsteadOfExit(inner);
}

/** Loads keys from ./.env, and warns of settings of ours there, which have no effect. */
function readEnvironmentFile(): EnvironmentFile {
  const file = loadEnvironmentFile();
  for (const name of file.leftOut.filter((left) => left.startsWith('DATA_DESIGNER_'))) {
    process.stderr.write(`Warning: ${name} is not read from ${file.path}; set it in the environment.\n`);
  }
  return file;
}

function report(thrown: unknown, environmentFile?: EnvironmentFile): number {
  const failure = DataDesignerError.fromUnknown(thrown);
  if (failure.code === 'run/aborted') {
    process.stderr.write('Interrupted. Nothing is saved.\n');
    return exitCodeOfFailure(failure);
  }
  process.stderr.write(`Error [${failure.code}]: ${failure.message}\n`);
  if (environmentFile && isFailure(failure, 'secret/missing') && environmentFile.leftOut.includes(failure.data.name)) {
    const { path } = environmentFile;
    process.stderr.write(
      `It is set in ${path}, but only names that contain KEY, TOKEN or the like are read from there.\n`,
    );
  }
  if (failure.code === 'internal/unexpected' && failure.cause instanceof Error) {
    process.stderr.write(`${failure.cause.stack ?? ''}\n`);
  }
  return exitCodeOfFailure(failure);
}
