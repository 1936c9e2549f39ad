import { Command, Help, type Option } from 'commander';
import { packageVersion } from '@data-designer/declaration';
import { exitCodesInHelp } from './exit-codes.ts';

/** The program with these commands. */
export function programOf(commands: readonly Command[]): Command {
  const program = new Command('data-designer')
    .description('Make synthetic datasets from declared columns: samplers, templates, and language models with tools.')
    .version(packageVersion(), '-V, --version', 'Show the version')
    .helpCommand('help [command]', 'Show the help of a command')
    .addHelpText('after', '\nAPI keys are read from environment variables, then from the file .env in this folder.')
    .addHelpText('after', `\n${exitCodesInHelp()}`);
  for (const command of commands) program.addCommand(command);
  settle(program);
  return program;
}

/** Gives a command and its subcommands what all have in common: they throw instead of exiting, and their help. */
function settle(command: Command): void {
  command
    .exitOverride()
    .helpOption('-h, --help', 'Show this help')
    .showHelpAfterError(`(see ${pathOf(command)} --help)`)
    .configureOutput({ outputError: (text, write) => write(withNearNames(text, command)) })
    .configureHelp({ optionDescription: describeOption });
  for (const inner of command.commands) settle(inner);
}

/** The words that start a command. */
function pathOf(command: Command): string {
  return `${command.parent === null ? '' : `${pathOf(command.parent)} `}${command.name()}`;
}

/** Words that people of other tools try first. */
const OTHER_COMMANDS: Readonly<Record<string, string>> = {
  run: 'create',
  generate: 'create',
  new: 'init',
  test: 'preview',
};

/** What to write for words that a command lacks, or has too many of, by its name. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  preview: 'Name a config, as in: data-designer preview facts.yaml. To get one: data-designer init',
  create: 'Name a config, as in: data-designer create facts.yaml -n 100. To get one: data-designer init',
  validate: 'Name a config, as in: data-designer validate facts.yaml. To get one: data-designer init',
  export: 'Name the folder, and the file after -o, as in: data-designer export artifacts/facts -o facts.csv',
  show: 'Name one folder, as in: data-designer show artifacts/facts',
  report: 'Name one folder, as in: data-designer report artifacts/facts',
};

/** A usage error with the option, the command or the words that were meant, where commander finds none. */
export function withNearNames(text: string, command: Command): string {
  if (text.includes('Did you mean')) return text;
  const ofWords = /missing required argument|too many arguments/.test(text) ? ARGUMENTS[command.name()] : undefined;
  if (ofWords !== undefined) return text.replace(/\n$/, `\n${ofWords}\n`);
  const [, kind, name = ''] = /unknown (option|command) '([^']+)'/.exec(text) ?? [];
  const flags = command.options.flatMap(({ long }) => long ?? []);
  const meant =
    kind === 'command' ? OTHER_COMMANDS[name] : flags.find((flag) => name.length > 3 && flag.startsWith(name));
  return meant === undefined ? text : text.replace(/\n$/, `\n(Did you mean ${meant}?)\n`);
}

/** Describes an option without the defaults that say nothing: false, and an empty list. */
function describeOption(option: Option): string {
  const { defaultValue } = option;
  const isEmpty = defaultValue === false || (Array.isArray(defaultValue) && defaultValue.length === 0);
  const shown = isEmpty ? Object.assign(Object.create(option) as Option, { defaultValue: undefined }) : option;
  return Help.prototype.optionDescription(shown);
}
