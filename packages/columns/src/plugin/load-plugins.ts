import type { RegisteredColumn } from '@data-designer/config';
import { DataDesignerError } from '@data-designer/core';
import { z } from 'zod';
import { columnTypes } from '../column-types.ts';
import type { SamplerType } from '../define-sampler.ts';
import type { Plugin } from './plugin.ts';
import { samplerColumn } from './sampler-column.ts';

/** What a module must export as `plugin`; what stands in its lists is looked at one by one. */
const shape = z.strictObject({ columns: z.array(z.unknown()).optional(), samplers: z.array(z.unknown()).optional() });

/** A name that a file may hold as `column_type`. */
const TYPE = /^[a-z][a-z0-9_-]*$/i;

/** How a type of column may make its cells. */
const MAKINGS = ['cell', 'group', 'fill', 'made', 'unmade'];

/**
 * The built-in types of columns and those of plug-ins, by the addresses of their modules. Throws `plugin/unusable` for a
 * module that cannot be imported, exports no plug-in, or adds a name that is taken.
 */
export async function loadPlugins(addresses: readonly string[]): Promise<readonly RegisteredColumn[]> {
  const types: RegisteredColumn[] = [...columnTypes];
  for (const address of addresses) {
    for (const type of columnsOf(await importPlugin(address), address)) {
      const isTaken = types.some((known) => known.type === type.type);
      if (isTaken) throw unusable(address, `it adds the column type '${type.type}', which is there already`);
      types.push(type);
    }
  }
  return types;
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
  return plugin as Plugin;
}

function columnsOf({ columns = [], samplers = [] }: Plugin, address: string): readonly RegisteredColumn[] {
  for (const column of columns) {
    const mistake = mistakeInType(column) ?? (makes(column) ? undefined : `it has none of ${MAKINGS.join(', ')}`);
    if (mistake) throw unusable(address, `a column type of it cannot be used: ${mistake}`);
  }
  for (const sampler of samplers) {
    const mistake =
      mistakeInType(sampler) ?? ('draw' in sampler || 'distribution' in sampler ? undefined : 'it has no draw');
    if (mistake) throw unusable(address, `a sampler of it cannot be used: ${mistake}`);
  }
  return [...columns, ...samplers.map((one) => samplerColumn(one as SamplerType))];
}

function mistakeInType(found: unknown): string | undefined {
  const { type, schema } = (found ?? {}) as { readonly type?: unknown; readonly schema?: { readonly _zod?: unknown } };
  if (typeof type !== 'string' || !TYPE.test(type)) return `its type is no name (${String(type)})`;
  return schema?._zod === undefined ? `'${type}' has no schema of zod 4` : undefined;
}

function makes(column: RegisteredColumn): boolean {
  return MAKINGS.some((making) => making in column) && typeof column.writes === 'function';
}

function unusable(module: string, reason: string): DataDesignerError {
  return new DataDesignerError('plugin/unusable', { module, reason });
}
