import { type Command, Option } from 'commander';
import { isWebAddress } from '@data-designer/core';
import type { OptionsOf } from '@data-designer/declaration';
import { collect, collectNames } from './parse-flags.ts';
import { type SettingFlags, withSettings } from './option-flags.ts';
import { refuseUnused } from './refuse-unused.ts';

/** How a config is read. */
export interface SourceFlags {
  readonly allowPrivate: boolean;
  /** The arguments after `--`. */
  readonly args: readonly string[];
}

/** The options of every command on a config. */
export interface CommonFlags extends SourceFlags, SettingFlags {
  readonly providers: readonly string[];
  readonly functions?: string;
  readonly plugins: readonly string[];
  readonly runConfig?: string;
  readonly prices?: string;
  readonly mediaRoot: readonly string[];
  readonly json: boolean;
  readonly allowLocal: boolean;
  readonly allowSecret: readonly string[];
}

/** The flags of `validate`; without a number of rows no selection is checked for them. */
export type ValidateFlags = CommonFlags & OptionsOf<'validate'>;

/** Adds the argument and options of every command on a config. */
export function withCommonFlags(command: Command): Command {
  refuseUnused<CommonFlags>(command, [
    {
      flags: ['allowLocal'],
      unless: (_, [source = '']) =>
        isWebAddress(source) ? undefined : 'on a local config, which may read local files anyway: leave it out',
    },
  ]);
  withSource(command.optionsGroup('Options:'), '<source>')
    .option('--json', 'Print one JSON object on standard output, and events as JSON lines on standard error', false)
    .optionsGroup('Models, tools and settings:')
    .addOption(providersOption())
    .option('--functions <file>', "Module that exports the tools of the provider 'functions'");
  withPlugins(command).option('-c, --run-config <file>', 'Run settings: a YAML or JSON file');
  withSettings(command, 'Models, tools and settings:')
    .option('--prices <file>', "Prices of models: your own list, or LiteLLM's file")
    .option('--media-root <folder>', 'Folder of media files that cells may contain as paths; repeatable', collect, []);
  return withSettings(command, 'Limits:')
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
