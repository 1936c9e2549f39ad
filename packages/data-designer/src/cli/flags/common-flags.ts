import { type Command, InvalidArgumentError } from 'commander';
import { readTime } from './parse-duration.ts';

/** What every command on a config takes. */
export interface CommonFlags {
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
  readonly allowPrivate: boolean;
  readonly allowSecret: readonly string[];
}

/** Adds the argument and the options that every command on a config has. */
export function withCommonFlags(command: Command): Command {
  return withPlugins(command)
    .argument('<source>', 'the config: a YAML or JSON file, or its http(s) address')
    .option('--providers <file>', 'model and MCP providers; may be repeated', collect, [])
    .option('--functions <file>', "a module whose exports are tools, for configs that name the provider 'functions'")
    .option('-c, --run-config <file>', 'run settings: a YAML or JSON mapping')
    .option('--seed <n>', 'seed of all randomness; chosen when not given', atLeast(0))
    .option('--prices <file>', "what models cost: a list of your own, or LiteLLM's file")
    .option(
      '--media-root <folder>',
      'a folder whose pictures and other files cells may name; may be repeated',
      collect,
      [],
    )
    .option('--max-cost <amount>', 'ask nothing further once answers cost this much', above(0))
    .option('--max-time <time>', 'ask nothing further after so long: 90s, 30m, 2h, 1d', readTime)
    .option('--allow-local', 'let a config from an address read files of this machine', false)
    .option(
      '--allow-private',
      'fetch a config or its seed from, and ask validators on, this machine or its network',
      false,
    )
    .option('--allow-secret <name>', 'let the config use this environment variable; may be repeated', collect, [])
    .option(
      '--json',
      'print one JSON object instead of text, and events of a run as JSON lines on standard error',
      false,
    );
}

/** Adds the option that names plug-ins. */
export function withPlugins(command: Command): Command {
  return command.option(
    '--plugins <names>',
    'packages or modules that add columns, samplers, processors and seeds, with commas; may be repeated',
    collectNames,
    [],
  );
}

/** Reads a whole number of at least `minimum`. */
export function atLeast(minimum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isSafeInteger(value) && value >= minimum) return value;
    throw new InvalidArgumentError(`It must be a whole number, ${minimum} or more.`);
  };
}

/** Reads the name of a page. */
export function htmlFile(text: string): string {
  if (text.toLowerCase().endsWith('.html')) return text;
  throw new InvalidArgumentError('It must end in .html.');
}

/** Reads one of some words, in any case. */
export function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = words.find((one) => one === text.toLowerCase().replaceAll('-', '_'));
    if (word !== undefined) return word;
    throw new InvalidArgumentError(`Allowed choices are ${words.join(', ')}.`);
  };
}

/** Reads a number above `bound`. */
export function above(bound: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isFinite(value) && value > bound) return value;
    throw new InvalidArgumentError(`It must be a number above ${bound}.`);
  };
}

/** Gathers the values of a flag that may be repeated. */
export function collect(file: string, before: readonly string[]): string[] {
  return [...before, file];
}

function collectNames(names: string, before: readonly string[]): string[] {
  return [
    ...before,
    ...names
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  ];
}
