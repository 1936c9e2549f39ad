import {
  ColumnRegistry,
  processorTypes,
  type RegisteredColumn,
  type RegisteredProcessor,
  type RegisteredSeed,
  seedTypes,
} from '@data-designer/config';
import { DataDesignerError } from '@data-designer/core';
import { z } from 'zod';
import { columnTypes } from '../column-types.ts';
import type { SamplerType } from '../define-sampler.ts';
import { guardedColumn } from './guarded-column.ts';
import { mistakeInPlugin } from './mistake-in-plugin.ts';
import type { Plugin } from './plugin.ts';
import { samplerColumn } from './sampler-column.ts';

const list = z.array(z.unknown()).optional();

/** What a module must export as `plugin`; what stands in its lists is looked at one by one. */
const shape = z.strictObject({ columns: list, samplers: list, processors: list, seeds: list });

/**
 * The built-in types and those of plug-ins, by the addresses of their modules. Throws `plugin/unusable` for a module that
 * cannot be imported, exports no plug-in, or adds a name that is taken.
 */
export async function loadPlugins(addresses: readonly string[]): Promise<ColumnRegistry> {
  const types: RegisteredColumn[] = [...columnTypes];
  const processors: RegisteredProcessor[] = [];
  const seeds: RegisteredSeed[] = [];
  for (const address of addresses) {
    const plugin = await importPlugin(address);
    const mistake = mistakeInPlugin(plugin);
    if (mistake !== undefined) throw unusable(address, mistake);
    add(types, columnsIn(plugin, address), { address, what: 'column type', taken: [] });
    const steps = (plugin.processors ?? []) as readonly RegisteredProcessor[];
    add(processors, steps, { address, what: 'processor', taken: processorTypes.map(({ type }) => type) });
    add(seeds, (plugin.seeds ?? []) as readonly RegisteredSeed[], { address, what: 'seed type', taken: seedTypes });
  }
  return new ColumnRegistry(types, { processors, seeds });
}

async function importPlugin(address: string): Promise<Plugin> {
  let exports: Readonly<Record<string, unknown>>;
  try {
    exports = (await import(address)) as Readonly<Record<string, unknown>>;
  } catch (thrown) {
    throw unusable(address, `it cannot be imported: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  const { plugin } = exports;
  if (plugin === undefined) throw unusable(address, "it exports no 'plugin'; make one with definePlugin");
  const parsed = shape.safeParse(plugin);
  if (!parsed.success) throw unusable(address, `its 'plugin' is none: ${z.prettifyError(parsed.error)}`);
  if (!Object.values(parsed.data).some((kind) => kind?.length)) throw unusable(address, "its 'plugin' adds nothing");
  return plugin as Plugin;
}

/** Its types of columns, and each of its samplers as one. */
function columnsIn({ columns = [], samplers = [] }: Plugin, address: string): readonly RegisteredColumn[] {
  const all = [...columns, ...samplers.map((one) => samplerColumn(one as SamplerType))];
  return all.map((column) => guardedColumn(column, address));
}

/** What is added, and under which names nothing may be. */
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
    if (isTaken) throw unusable(address, `it adds the ${what} '${one.type}', which is there already`);
    known.push(one);
  }
}

function unusable(module: string, reason: string): DataDesignerError {
  return new DataDesignerError('plugin/unusable', { module, reason });
}
