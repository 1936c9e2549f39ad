import { Command, CommanderError, Help, type Option } from 'commander';
import { DataDesignerError } from '@data-designer/core';
import { type EnvironmentFile, loadEnvironmentFile } from './environment-file.ts';
import { agentCommand } from './agent-command.ts';
import { checkCommand } from './check-command.ts';
import { checkModelsCommand } from './check-models-command.ts';
import { cleanCommand } from './clean-command.ts';
import { configCommand } from './config-command.ts';
import { createCommand } from './create-command.ts';
import { downloadCommand } from './download-command.ts';
import { exitCodeOfFailure, exitCodesInHelp } from './exit-codes.ts';
import { reportFailure } from './report-failure.ts';
import { exportCommand } from './export-command.ts';
import { initCommand } from './init-command.ts';
import { mcpCommand } from './mcp-command.ts';
import { pluginCommand } from './plugin-command.ts';
import { previewCommand } from './preview-command.ts';
import { pushCommand } from './push-command.ts';
import { rehearseCommand } from './rehearse-command.ts';
import { reportCommand } from './report-command.ts';
import { showCommand } from './show-command.ts';
import { validateCommand } from './validate-command.ts';
import { packageVersion } from '../options/package-version.ts';

/** The program with all its commands. */
export function createProgram(): Command {
  const program = new Command('data-designer')
    .description('Make synthetic datasets from declared columns: samplers, templates, and language models with tools.')
    .version(packageVersion(), '-V, --version', 'Show the version')
    .helpCommand('help [command]', 'Show the help of a command')
    .addHelpText('after', '\nAPI keys are read from environment variables, then from the file .env in this folder.')
    .addHelpText('after', `\n${exitCodesInHelp()}`);
  const commands = [
    initCommand(),
    previewCommand(),
    createCommand().addHelpText('after', `\n${exitCodesInHelp()}`),
    showCommand(),
    reportCommand(),
    exportCommand(),
    cleanCommand(),
    pushCommand(),
    checkCommand(),
    validateCommand(),
    checkModelsCommand(),
    rehearseCommand(),
    configCommand(),
    downloadCommand(),
    pluginCommand(),
    mcpCommand(),
    agentCommand(),
  ];
  for (const command of commands) program.addCommand(command);
  settle(program);
  return program;
}

/** Runs one command and returns its exit code (see `EXIT_CODES`). */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  let environmentFile: EnvironmentFile | undefined;
  const json = wantsJson(args);
  const program = createProgram().hook('preAction', () => {
    environmentFile = readEnvironmentFile();
  });
  if (json) keepSilent(program);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return typeof process.exitCode === 'number' ? process.exitCode : 0;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) {
      const failure = DataDesignerError.fromUnknown(thrown);
      reportFailure(failure, { json, environmentFile });
      return exitCodeOfFailure(failure);
    }
    if (thrown.exitCode === 0) return 0;
    if (json) reportFailure(usageFailure(thrown), { json });
    return 2;
  }
}

/** Whether the arguments ask for JSON, even if they cannot be parsed. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}

/** With `--json` a usage error is one JSON object, and commander prints nothing. */
function keepSilent(command: Command): void {
  command.configureOutput({ writeErr: () => {} });
  for (const inner of command.commands) keepSilent(inner);
}

function usageFailure({ message }: CommanderError): DataDesignerError {
  const reason = message
    .replace(/^error: /, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/\.$/, '');
  return new DataDesignerError('usage/invalid', { reason });
}

/** Gives a command and its subcommands what all have in common: they throw instead of exiting, and their help. */
function settle(command: Command): void {
  command
    .exitOverride()
    .helpOption('-h, --help', 'Show this help')
    .showHelpAfterError('(see --help)')
    .configureHelp({ optionDescription: describeOption });
  for (const inner of command.commands) settle(inner);
}

/** Describes an option without the defaults that say nothing: false, and an empty list. */
function describeOption(option: Option): string {
  const { defaultValue } = option;
  const isEmpty = defaultValue === false || (Array.isArray(defaultValue) && defaultValue.length === 0);
  const shown = isEmpty ? Object.assign(Object.create(option) as Option, { defaultValue: undefined }) : option;
  return Help.prototype.optionDescription(shown);
}

/** Loads keys from ./.env, and warns of settings of ours there, which have no effect. */
function readEnvironmentFile(): EnvironmentFile {
  const file = loadEnvironmentFile();
  for (const name of file.leftOut.filter((left) => left.startsWith('DATA_DESIGNER_'))) {
    process.stderr.write(`Warning: ${name} is not read from ${file.path}; set it in the environment.\n`);
  }
  return file;
}
