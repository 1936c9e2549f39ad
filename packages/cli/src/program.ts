import { Command, Help, type Option } from 'commander';
import { packageVersion } from '@data-designer/declaration';
import { exitCodesInHelp } from './exit-codes.ts';

/** How to find the simulator as an endpoint of its own. */
const SIMULATOR_HELP =
  "To try a program without a model, start the simulator as a server: 'data-designer docs models-and-providers' describes it.";

/** The program with these commands. */
export function programOf(commands: readonly Command[]): Command {
  const program = new Command('data-designer')
    .description('Make synthetic datasets from declared columns: samplers, templates, and language models with tools.')
    .version(packageVersion(), '-V, --version', 'Show the version')
    .helpCommand('help [command]', 'Show the help of a command')
    .addHelpText('after', '\nAPI keys are read from environment variables, then from the file .env in this folder.')
    .addHelpText('after', `\n${SIMULATOR_HELP}`)
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

/** The words that a command takes, where they are missing or too many. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  preview: 'facts.yaml',
  create: 'facts.yaml',
  export: 'artifacts/facts -o facts.csv',
};

/** A usage error with the option, the command or the words that were meant, where commander finds none. */
export function withNearNames(text: string, command: Command): string {
  if (text.includes('Did you mean')) return text;
  const words = /missing req|too many arg/.test(text) && ARGUMENTS[command.name()];
  if (words) return `${text}Write: data-designer ${command.name()} ${words}\n`;
  const [, lacking] = /option '([^']+)' argument missing/.exec(text) ?? [];
  const choices = command.options.find(({ flags: written }) => written === lacking)?.argChoices;
  if (choices) return `${text}(Write one of: ${choices.join(', ')})\n`;
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
