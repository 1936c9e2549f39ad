import { z } from 'zod';
import {
  ColumnRegistry,
  processorTypes,
  type RegisteredColumn,
  type RegisteredProcessor,
  type RegisteredSeed,
  seedKinds,
  seedTypeOf,
} from '@data-designer/config';
import { DataDesignerError, fieldsOf, messageOf } from '@data-designer/core';
import { columnTypes } from '../column-types.ts';
import type { AnySampler } from '../define-sampler.ts';
import { samplers as builtInSamplers } from '../samplers.ts';
import { allParams, type SampledColumn } from '../samplers/sampled-column.ts';
import { guardedColumn } from './guarded-column.ts';
import { guardedSampler } from './guarded-sampler.ts';
import { mistakeInPlugin } from './mistake-in-plugin.ts';
import { NO_PLUGIN, type Plugin, type PluginCommand, type PluginTypes } from './plugin.ts';
import { withSamplers } from '../sampler/sampler.ts';

const list = z.array(z.unknown()).optional();

/** The export `plugin` of a module; the items of its lists are checked one by one. */
const shape = z.strictObject({
  columns: list,
  samplers: list,
  processors: list,
  seeds: list,
  commands: z.record(z.string(), z.unknown()).optional(),
});

/** The built-in types and those of plug-in modules; throws `plugin/unusable` for an unusable or conflicting one. */
export async function registryWith(addresses: readonly string[]): Promise<ColumnRegistry> {
  const types: RegisteredColumn[] = [...columnTypes];
  const samplers: AnySampler[] = [];
  const pluginOf = new Map<string, string>();
  const processors: RegisteredProcessor[] = [];
  const seeds: RegisteredSeed[] = [];
  for (const address of addresses) {
    const plugin = await importPlugin(address);
    const mistake = mistakeInPlugin(plugin);
    if (mistake !== undefined) throw unusable(address, mistake);
    const { columns = [] } = plugin;
    const guarded = columns.map((column) => guardedColumn(column, () => address));
    add(types, guarded, { address, what: 'column type', taken: [] });
    const draws = (plugin.samplers ?? []).map(guardedSampler);
    add(samplers, draws, { address, what: 'sampler', taken: builtInSamplers.map(({ type }) => type) });
    for (const { type } of draws) pluginOf.set(type, address);
    const steps = (plugin.processors ?? []) as readonly RegisteredProcessor[];
    add(processors, steps, { address, what: 'processor', taken: processorTypes.map(({ type }) => type) });
    const taken = seedKinds.map(({ schema }) => seedTypeOf(schema));
    add(seeds, (plugin.seeds ?? []) as readonly RegisteredSeed[], { address, what: 'seed type', taken });
  }
  return new ColumnRegistry(withSamplers(types, samplers, guardedBy(pluginOf)), { processors, seeds });
}

/** The types that one plug-in module adds; throws `plugin/unusable` for an unusable one. */
export async function typesOfPlugin(address: string): Promise<PluginTypes> {
  await registryWith([address]);
  const { columns = [], samplers = [], processors = [], seeds = [], commands = {} } = await importPlugin(address);
  return {
    column: typeNames(columns),
    sampler: typeNames(samplers),
    processor: typeNames(processors),
    seed: typeNames(seeds),
    command: Object.keys(commands),
  };
}

/** A command of a plug-in module; undefined if the module has no such command. Throws `plugin/unusable`. */
export async function commandOfPlugin(address: string, name: string): Promise<PluginCommand | undefined> {
  const plugin = await importPlugin(address);
  const mistake = mistakeInPlugin(plugin);
  if (mistake !== undefined) throw unusable(address, mistake);
  const { commands = {} } = plugin;
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

function typeNames(types: readonly { readonly type: string }[]): readonly string[] {
  return types.map(({ type }) => type);
}

async function importPlugin(address: string): Promise<Plugin> {
  let exports: unknown;
  try {
    exports = await import(address);
  } catch (thrown) {
    throw unusable(address, `it cannot be imported: ${messageOf(thrown)}`);
  }
  const { plugin } = fieldsOf(exports);
  if (plugin === undefined) throw unusable(address, NO_PLUGIN);
  const parsed = shape.safeParse(plugin);
  if (!parsed.success)
    throw unusable(address, `its export 'plugin' is not a plug-in: ${z.prettifyError(parsed.error)}`);
  if (!Object.values(parsed.data).some((kind) => Object.keys(kind ?? {}).length > 0))
    throw unusable(address, "its 'plugin' adds nothing");
  return plugin as Plugin;
}

/** Wraps the sampler column so that failures name the plug-in of the sampler. */
function guardedBy(pluginOf: ReadonlyMap<string, string>): (column: RegisteredColumn) => RegisteredColumn {
  return (column) =>
    guardedColumn(column, (config) => {
      const names = allParams(config as unknown as SampledColumn).map(({ samplerType }) => samplerType);
      return names.map((name) => pluginOf.get(name)).find((address) => address !== undefined);
    });
}

/** The source and kind of added types, and the names already taken. */
interface Adding {
  readonly address: string;
  readonly what: string;
  readonly taken: readonly string[];
}

function add<Type extends { readonly type: string }>(
  known: Type[],
  further: readonly Type[],
  { address, what, taken }: Adding,
): void {
  for (const one of further) {
    const isTaken = taken.includes(one.type) || known.some(({ type }) => type === one.type);
    if (isTaken) throw unusable(address, `it adds the ${what} '${one.type}', which already exists`);
    known.push(one);
  }
}

function unusable(module: string, reason: string): DataDesignerError {
  return new DataDesignerError('plugin/unusable', { module, reason });
}
