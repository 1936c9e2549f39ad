import { type Command, InvalidArgumentError, Option } from 'commander';
import { isWebAddress, LONGEST_SECONDS } from '@data-designer/core';
import { refuseUnused } from './refuse-unused.ts';

/** How a config is read. */
export interface SourceFlags {
  readonly allowPrivate: boolean;
  /** The arguments after `--`. */
  readonly args: readonly string[];
}

/** The options of every command on a config. */
export interface CommonFlags extends SourceFlags {
  readonly providers: readonly string[];
  readonly functions?: string;
  readonly plugins: readonly string[];
  readonly runConfig?: string;
  readonly seed?: number;
  readonly maxCost?: number;
  /** In seconds. */
  readonly maxTime?: number;
  readonly prices?: string;
  readonly mediaRoot: readonly string[];
  readonly json: boolean;
  readonly allowLocal: boolean;
  readonly allowSecret: readonly string[];
}

/** The flags of `validate`. */
export interface ValidateFlags extends CommonFlags {
  /** Undefined: a selection is not checked for a number of rows. */
  readonly numRecords?: number;
}

/** Adds the argument and options of every command on a config. */
export function withCommonFlags(command: Command): Command {
  refuseUnused<CommonFlags>(command, [
    {
      flags: ['allowLocal'],
      unless: (_, [source = '']) =>
        isWebAddress(source) ? undefined : 'on a local config, which may read local files anyway: leave it out',
    },
  ]);
  withSource(command, '<source>')
    .option('--json', 'Print one JSON object on standard output, and events as JSON lines on standard error', false)
    .optionsGroup('Models, tools and settings:')
    .addOption(providersOption())
    .option('--functions <file>', "Module that exports the tools of the provider 'functions'");
  return withPlugins(command)
    .option('-c, --run-config <file>', 'Run settings: a YAML or JSON file')
    .option('--seed <n>', 'Seed of the run; the same seed draws the same values (default: random)', atLeast(0))
    .option('--prices <file>', "Prices of models: your own list, or LiteLLM's file")
    .option('--media-root <folder>', 'Folder of media files that cells may name; repeatable', collect, [])
    .optionsGroup('Limits:')
    .option('--max-cost <amount>', 'Stop the run when its answers cost this much; finished rows are kept', above(0))
    .option(
      '--max-time <time>',
      'Stop the run after this time, such as 90s, 30m, 2h or 1d; finished rows are kept',
      parseDuration,
    )
    .optionsGroup('Permissions:')
    .option('--allow-local', 'Let a config from an http(s) address read local files', false)
    .addOption(allowPrivateOption('configs, seeds and validators'))
    .option(
      '--allow-secret <name>',
      'Let the config use this environment variable as a secret; repeatable',
      collect,
      [],
    );
}

/** Adds the argument for a config, and those after `--` for a code config. */
export function withSource(command: Command, argument: '<source>' | '[source]'): Command {
  return command
    .argument(argument, 'Config: a YAML, JSON, TypeScript or JavaScript file, or an http(s) address')
    .usage(`[options] ${argument} [-- <arguments of a code config>]`)
    .allowExcessArguments()
    .hook('preAction', (_, self) => void self.setOptionValue('args', argumentsAfterDashes(self)));
}

/** The option that names files of providers. */
export function providersOption(kinds = 'model and MCP providers'): Option {
  return new Option('--providers <file>', `File of ${kinds}; repeatable`).argParser(collect).default([]);
}

/** The option that allows private addresses for some `parts`. */
export function allowPrivateOption(parts: string): Option {
  return new Option('--allow-private', `Allow ${parts} at private addresses: this machine and its network`).default(
    false,
  );
}

/** The arguments after `--`, for a code config; ends the command if there are too many before it. */
function argumentsAfterDashes(command: Command): readonly string[] {
  let root = command;
  while (root.parent) root = root.parent;
  const { rawArgs } = root as Command & { readonly rawArgs: readonly string[] };
  const dashes = rawArgs.indexOf('--');
  const after = dashes === -1 ? [] : rawArgs.slice(dashes + 1);
  const before = command.args.length - after.length;
  if (before > 1)
    command.error(`error: too many arguments for '${command.name()}'. Expected 1 argument but got ${before}.`);
  return after;
}

/** A command that only has subcommands: alone it prints its help, and an unknown subcommand is a usage error. */
export function asGroup(command: Command): Command {
  return command
    .argument('[command]')
    .usage('[options] [command]')
    .action((given: string | undefined) => {
      if (given === undefined) command.outputHelp();
      else command.error(`error: unknown command '${given}'`);
    });
}

/** Examples of a command for the end of its help. */
export function examples(...words: readonly string[]): string {
  return `\n${['Examples:', ...words.map((line) => `  data-designer ${line}`)].join('\n')}`;
}

/** The options that say how a run is shown. */
export interface DisplayFlags {
  readonly json: boolean;
  /** Undefined: as the run settings say. */
  readonly tui?: boolean;
  /** False: no colours even on a terminal that has them. */
  readonly color?: boolean;
}

/** Adds the options that say how a run is shown. */
export function withDisplayFlags(command: Command): Command {
  return refuseUnused<DisplayFlags>(command, [{ flags: ['tui'], unless: panelProblem }])
    .option('--tui', 'Show progress as a panel (default on a terminal)')
    .option('--no-tui', 'Show progress as lines')
    .option('--no-color', 'Show progress without colors, as NO_COLOR does');
}

/** Why a panel cannot be shown that was asked for. */
function panelProblem({ tui, json }: DisplayFlags): string | undefined {
  if (tui !== true) return undefined;
  if (json) return 'with --json, which prints events as JSON lines: leave out one of them';
  const isTerminal = process.stderr.isTTY && process.env['TERM'] !== 'dumb';
  return isTerminal ? undefined : 'without a terminal on standard error: leave it out';
}

/** Adds the option that names plug-ins. */
export function withPlugins(command: Command): Command {
  return command.option(
    '--plugins <names>',
    'Packages or modules that add column types, samplers, processors or seeds; comma-separated, repeatable',
    collectNames,
    [],
  );
}

/** Parses a number that `fits`; `kind` describes such numbers in the error message. */
export function parseNumber(fits: (value: number) => boolean, kind: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && fits(value)) return value;
    throw new InvalidArgumentError(`It must be ${kind}.`);
  };
}

/** Parses the number of a port; 0 is any free one. */
export function parsePort(text: string): number {
  return parseNumber(
    (value) => Number.isInteger(value) && value >= 0 && value <= 65_535,
    'a port: a number from 0 to 65535',
  )(text);
}

/** Parses a whole number of at least `minimum`. */
export function atLeast(minimum: number): (text: string) => number {
  return parseNumber((value) => Number.isSafeInteger(value) && value >= minimum, `a whole number, ${minimum} or more`);
}

/** Parses a number above `bound`. */
export function above(bound: number): (text: string) => number {
  return parseNumber((value) => Number.isFinite(value) && value > bound, `a number above ${bound}`);
}

/** Parses the path of an HTML file. */
export function parseHtmlPath(text: string): string {
  if (text.toLowerCase().endsWith('.html')) return text;
  throw new InvalidArgumentError('It must end in .html.');
}

/** Parses one of `words`, in any case. */
export function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = words.find((one) => one === text.toLowerCase().replaceAll('-', '_'));
    if (word !== undefined) return word;
    throw new InvalidArgumentError(`Allowed choices are ${words.join(', ')}.`);
  };
}

/** Collects the values of a repeatable flag. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Collects the comma-separated values of a repeatable flag. */
export function collectNames(names: string, before: readonly string[] = []): string[] {
  const given = names.split(',').map((name) => name.trim());
  return [...before, ...given.filter((name) => name !== '')];
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Parses a duration such as `30m` to seconds; throws `InvalidArgumentError` for other text, and if no timer can hold it. */
export function parseDuration(text: string): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text.trim()) ?? [];
  const seconds = Number(amount) * (SECONDS[unit as keyof typeof SECONDS] ?? 0);
  if (seconds > LONGEST_SECONDS) {
    throw new InvalidArgumentError(`It must be at most ${Math.floor(LONGEST_SECONDS / SECONDS.h)}h.`);
  }
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError('It must be a time, such as 90s, 30m, 2h or 1d.');
}
