import { type Command, CommanderError } from 'commander';
import { DataDesignerError } from '@data-designer/core';
import { type EnvironmentFile, loadEnvironmentFile } from './environment-file.ts';
import { exitCodeOfFailure } from './exit-codes.ts';
import { programOf, withNearNames } from './program.ts';
import { reportFailure } from './report-failure.ts';

/** The commands of the inner loop: each loads without the definitions of the others. */
const FREQUENT: Readonly<Record<string, () => Promise<Command>>> = {
  create: async () => (await import('./create-command.ts')).createCommand(),
  preview: async () => (await import('./preview-command.ts')).previewCommand(),
  show: async () => (await import('./show-command.ts')).showCommand(),
  validate: async () => (await import('./validate-command.ts')).validateCommand(),
};

/** The program with the command that the arguments name, if that is a frequent one, else with all commands. */
async function programFor([name = '']: readonly string[]): Promise<Command> {
  const frequent = Object.hasOwn(FREQUENT, name) ? FREQUENT[name] : undefined;
  return frequent ? programOf([await frequent()]) : (await import('./all-commands.ts')).programWithPlugins(name);
}

/** Runs one command and returns its exit code (see `EXIT_CODES`). */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  let environmentFile: EnvironmentFile | undefined;
  const json = wantsJson(args);
  const program = (await programFor(args)).hook('preAction', () => {
    environmentFile = readEnvironmentFile();
  });
  if (json) keepSilent(program);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return typeof process.exitCode === 'number' ? process.exitCode : 0;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) {
      let failure = DataDesignerError.fromUnknown(thrown);
      if (failure.code === 'secret/missing')
        failure = (await import('./place-of-key.ts')).withPlaceOfKey(failure, args);
      if (failure.code === 'config/invalid')
        failure = (await import('./place-of-flag.ts')).withPlaceOfFlag(failure, args);
      reportFailure(failure, { json, environmentFile });
      return exitCodeOfFailure(failure);
    }
    if (thrown.exitCode === 0) return 0;
    if (json) reportFailure(usageFailure(thrown, commandOf(program, args)), { json });
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

/** The command that words such as `config mcp add` start. */
function commandOf(program: Command, words: readonly string[]): Command {
  let found = program;
  for (const word of words) {
    const inner = found.commands.find((one) => one.name() === word);
    if (!inner) break;
    found = inner;
  }
  return found;
}

function usageFailure({ message }: CommanderError, command: Command): DataDesignerError {
  const reason = withNearNames(`${message}\n`, command)
    .replace(/^error: /, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/\.? $/, '');
  return new DataDesignerError('usage/invalid', { reason });
}

/** Loads keys from ./.env, and warns of settings of ours there, which have no effect. */
function readEnvironmentFile(): EnvironmentFile {
  const file = loadEnvironmentFile();
  for (const name of file.leftOut.filter((left) => left.startsWith('DATA_DESIGNER_'))) {
    process.stderr.write(`Warning: ${name} is not read from ${file.path}; set it in the environment.\n`);
  }
  return file;
}
