import { fieldsOf, isFields } from '@data-designer/core';
import type { Plugin } from './plugin.ts';

/** A valid type name. */
const TYPE = /^[a-z][a-z0-9_-]*$/i;

/** A type of a plug-in, from an untyped module. */
interface Found {
  readonly type?: unknown;
  readonly schema?: { readonly _zod?: { readonly propValues?: Readonly<Record<string, ReadonlySet<unknown>>> } };
  readonly stage?: unknown;
}

/** The lists of a plug-in: the kind, the key of the type name in files, and the check of required members. */
const KINDS = [
  { list: 'columns', what: 'a column type', key: 'columnType', lacks: lacksMaker },
  { list: 'samplers', what: 'a sampler', key: 'samplerType', lacks: lacksDraw },
  { list: 'processors', what: 'a processor', key: 'processorType', lacks: lacksWork },
  { list: 'seeds', what: 'a seed', key: 'seedType', lacks: lacksRows },
] as const;

/** Describes the first unusable type of a plug-in, without the final full stop; undefined if all are usable. */
export function mistakeInPlugin(plugin: Plugin): string | undefined {
  for (const { list, what, key, lacks } of KINDS) {
    for (const found of plugin[list] ?? []) {
      const mistake = mistakeInType(found, key) ?? lacks(found);
      if (mistake !== undefined) return `${what} cannot be used: ${mistake}`;
    }
  }
  for (const [name, command] of Object.entries(plugin.commands ?? {})) {
    const mistake = mistakeInCommand(name, command);
    if (mistake !== undefined) return `a command cannot be used: ${mistake}`;
  }
  return undefined;
}

function mistakeInCommand(name: string, command: unknown): string | undefined {
  if (!TYPE.test(name)) return `'${name}' is not a valid name`;
  const { description, help, run } = fieldsOf(command);
  if (typeof run !== 'function') return `'${name}' has no function 'run'`;
  if (typeof description !== 'string') return `'${name}' has no text 'description'`;
  return help === undefined || typeof help === 'string' ? undefined : `the 'help' of '${name}' is no text`;
}

function mistakeInType(found: Found | null, key: string): string | undefined {
  const { type, schema } = found ?? {};
  if (typeof type !== 'string' || !TYPE.test(type)) return `its type '${String(type)}' is not a valid name`;
  if (schema?._zod === undefined) return `'${type}' has no zod 4 schema`;
  const named = schema._zod.propValues?.[key];
  // A sampler's type has a default, because parameters need not name it.
  const isDeclared = named?.has(type) === true && [...named].every((name) => name === type || name === undefined);
  return isDeclared ? undefined : `the schema of '${type}' does not have ${key}: z.literal('${type}')`;
}

/** The makers; a column type must have one of them. */
const MAKERS = ['cell', 'group', 'fill', 'made'];

function lacksMaker(column: object): string | undefined {
  if (!MAKERS.some((maker) => maker in column)) return `it has none of ${MAKERS.join(', ')}`;
  return isFunction(column, 'writes') ? undefined : "it has no function 'writes'";
}

function lacksDraw(sampler: object): string | undefined {
  return isFunction(sampler, 'draw') || isFunction(sampler, 'distribution')
    ? undefined
    : "it has no function 'draw' or 'distribution'";
}

const STAGES: readonly unknown[] = ['pre_batch', 'post_batch', 'after_generation'];

function lacksWork(processor: object): string | undefined {
  const { stage, sideTable } = fieldsOf(processor);
  if (typeof stage !== 'function' && !STAGES.includes(stage)) return `its stage is not one of ${STAGES.join(', ')}`;
  if (isFields(sideTable)) {
    const missing = ['fields', 'reads', 'row'].find((member) => !isFunction(sideTable, member));
    if (missing !== undefined) return `its sideTable has no ${missing}`;
    return stage === 'post_batch' ? undefined : "a processor with a side table needs the stage 'post_batch'";
  }
  return isFunction(processor, 'drops') || isFunction(processor, 'process')
    ? undefined
    : 'it has none of drops, sideTable, process';
}

function lacksRows(seed: object): string | undefined {
  return isFunction(seed, 'rows') ? undefined : "it has no function 'rows'";
}

function isFunction(found: object, member: string): boolean {
  return typeof fieldsOf(found)[member] === 'function';
}
