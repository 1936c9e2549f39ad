import {
  type Home,
  joinProviders,
  loadDocument,
  loadProviders,
  loadRunConfig,
  type Providers,
  readHome,
  readSource,
  type RunConfig,
} from '@data-designer/config';
import { type Command, InvalidArgumentError } from 'commander';
import type { Violation } from '@data-designer/core';
import type { Permissions } from '../data-designer.ts';
import type { Declaration } from '../declaration.ts';

/** What every command on a config takes. */
export interface CommonFlags {
  readonly providers: readonly string[];
  readonly runConfig?: string;
  readonly seed?: number;
  readonly json: boolean;
  readonly allowLocal: boolean;
  readonly allowPrivate: boolean;
  readonly allowSecret: readonly string[];
}

/** Adds the argument and the options that every command on a config has. */
export function withCommonFlags(command: Command): Command {
  return command
    .argument('<source>', 'the config: a YAML or JSON file, or its http(s) address')
    .option('--providers <file>', 'model and MCP providers; may be repeated', collect, [])
    .option('-c, --run-config <file>', 'run settings: a YAML or JSON mapping')
    .option('--seed <n>', 'seed of all randomness; chosen when not given', atLeast(0))
    .option('--allow-local', 'let a config from an address read files of this machine', false)
    .option('--allow-private', 'fetch a config from an address of this machine or its network', false)
    .option('--allow-secret <name>', 'let the config use this environment variable; may be repeated', collect, [])
    .option('--json', 'print one JSON object instead of text', false);
}

/** The declaration that a command is about, out of a file or from an address; never text itself. */
export function readConfig(source: string, { allowPrivate }: CommonFlags): Promise<Declaration> {
  const isAddress = /^https?:\/\//i.test(source);
  return isAddress ? readSource(source, { allowPrivate }) : Promise.resolve(readFile(source));
}

function readFile(source: string): Declaration {
  return { document: loadDocument(source), source, origin: 'local' };
}

/** What the common flags and the home folder say to a `DataDesigner`, which adds the built-in providers itself. */
export interface CommonSettings {
  /** Of two providers with one name that of a flag's file wins over that of the home folder. */
  readonly providers: Providers;
  readonly runConfig: Partial<RunConfig>;
  /** The home folder's models, for a config that declares none, and its tool configs. */
  readonly home: Home;
  readonly permissions: Permissions;
  readonly onWarning: (warning: Violation) => void;
}

/** Reads what the common flags name, and the home folder, whose warnings go to standard error. */
export function readCommon(flags: CommonFlags): CommonSettings {
  const { providers, runConfig, seed, allowLocal, allowSecret } = flags;
  const settings = runConfig === undefined ? {} : loadRunConfig(runConfig);
  const home = readHome();
  for (const warning of home.warnings) process.stderr.write(`Warning: ${warning}\n`);
  const given = providers.map((file) => loadProviders(file));
  return {
    providers: joinProviders(...given, home.providers),
    runConfig: { ...settings, ...(seed === undefined ? {} : { seed }) },
    home,
    permissions: { localFiles: allowLocal, secrets: allowSecret },
    onWarning: ({ path, message, remedy }) =>
      process.stderr.write(`${`Warning: ${path}: ${message} ${remedy}`.trimEnd()}\n`),
  };
}

/** Reads a whole number of at least `minimum`. */
export function atLeast(minimum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isSafeInteger(value) && value >= minimum) return value;
    throw new InvalidArgumentError(`It must be a whole number, ${minimum} or more.`);
  };
}

function collect(file: string, before: readonly string[]): string[] {
  return [...before, file];
}
