import {
  checkOptions,
  optionRule,
  type OptionRules,
  type RegisteredColumn,
  type RegisteredProcessor,
  type RegisteredSeed,
} from '@data-designer/config';
import type { AnySampler } from '../define-sampler.ts';

/** Any processor or seed type of a plug-in. */
export type AnyProcessor = Pick<RegisteredProcessor, 'type' | 'schema'>;
export type AnySeed = Pick<RegisteredSeed, 'type' | 'schema'>;

/** A command that a plug-in adds to `data-designer`. */
export interface PluginCommand {
  /** What it does, in one line; its `--help` shows it. */
  readonly description: string;
  /** The usage after its name, such as `<folder> [--json]`, and further lines of help. */
  readonly help?: string;
  /** Runs it with the arguments after its name. Returns the exit code, or nothing for 0. */
  readonly run: (args: readonly string[]) => number | undefined | void | Promise<number | undefined | void>;
}

/** The types and commands that a plug-in adds. */
export interface Plugin<
  Columns extends readonly RegisteredColumn[] = readonly RegisteredColumn[],
  Processor extends AnyProcessor = AnyProcessor,
  Seed extends AnySeed = AnySeed,
  Samplers extends readonly AnySampler[] = readonly AnySampler[],
> {
  /** Column types, made with `defineColumn`. */
  readonly columns?: Columns;
  /** Samplers, made with `defineSampler`. */
  readonly samplers?: Samplers;
  /** Processor types, made with `defineProcessor`. */
  readonly processors?: readonly Processor[];
  /** Seed types, made with `defineSeed`. */
  readonly seeds?: readonly Seed[];
  /** Commands by their names. The package lists the names under `dataDesigner.commands` in its package.json. */
  readonly commands?: Readonly<Record<string, PluginCommand>>;
}

const { list, mapping } = optionRule;
const RULES: OptionRules<Plugin> = {
  columns: list,
  samplers: list,
  processors: list,
  seeds: list,
  commands: mapping,
};

/** Declares a plug-in. Its module exports it as `plugin`; programs name the module in `plugins`, commands in `--plugins`. */
export function definePlugin<
  const Columns extends readonly RegisteredColumn[] = readonly [],
  Processor extends AnyProcessor = never,
  Seed extends AnySeed = never,
  const Samplers extends readonly AnySampler[] = readonly [],
>(plugin: Plugin<Columns, Processor, Seed, Samplers>): Plugin<Columns, Processor, Seed, Samplers> {
  checkOptions<Plugin>(plugin, RULES, 'definePlugin()');
  return plugin;
}

/** The reason of a module without a plug-in. */
export const NO_PLUGIN = "it exports no 'plugin' made with definePlugin";

/** The names of the types and commands that a plug-in module adds, by kind. */
export type PluginTypes = Readonly<Record<'column' | 'sampler' | 'processor' | 'seed' | 'command', readonly string[]>>;
