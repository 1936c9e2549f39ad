import {
  joinProviders,
  loadDocument,
  loadProviders,
  loadRunConfig,
  type Providers,
  type RunConfig,
} from '@data-designer/config';
import { type Command, InvalidArgumentError } from 'commander';
import type { Declaration } from '../declaration.ts';

/** What every command on a config takes. */
export interface CommonFlags {
  readonly providers: readonly string[];
  readonly runConfig?: string;
  readonly seed?: number;
  readonly json: boolean;
}

/** Adds the argument and the options that every command on a config has. */
export function withCommonFlags(command: Command): Command {
  return command
    .argument('<source>', 'the config: a YAML or JSON file')
    .option('--providers <file>', 'model and MCP providers; may be repeated', collect, [])
    .option('-c, --run-config <file>', 'run settings: a YAML or JSON mapping')
    .option('--seed <n>', 'seed of all randomness; chosen when not given', atLeast(0))
    .option('--json', 'print one JSON object instead of text', false);
}

/** The declaration that a command is about. */
export function readSource(source: string): Declaration {
  return { document: loadDocument(source), source };
}

/** What the common flags say to a `DataDesigner`. */
export function readCommon({ providers, runConfig, seed }: CommonFlags): {
  providers: Providers;
  runConfig: Partial<RunConfig>;
} {
  const settings = runConfig === undefined ? {} : loadRunConfig(runConfig);
  return {
    providers: joinProviders(...providers.map((file) => loadProviders(file))),
    runConfig: { ...settings, ...(seed === undefined ? {} : { seed }) },
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
