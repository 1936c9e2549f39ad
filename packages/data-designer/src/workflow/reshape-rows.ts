import { type ArrowField, type ArrowType, type CellValue, field, stringifyJson } from '@data-designer/core';
import type { StageOptions } from './stage.ts';

/** A row of a stage's output. */
type OutputRow = Readonly<Record<string, CellValue>>;
type Reshaping = Pick<StageOptions, 'expand' | 'group'>;

/** Rows with their types. */
export interface ReshapedRows {
  readonly fields: readonly ArrowField[];
  /** Changes rows, one at a time or, for groups, all at once. */
  readonly reshape: (records: AsyncIterable<OutputRow>) => AsyncIterable<Record<string, CellValue>>;
}

/**
 * How rows of these fields are expanded or grouped; a text says why they cannot be. Undefined if they stay as they are.
 */
export function reshapeRows(
  fields: readonly ArrowField[],
  { expand, group }: Reshaping,
): ReshapedRows | string | undefined {
  if (expand !== undefined) return expandRows(fields, expand);
  if (group) return groupRows(fields, toList(group.by), group.collect);
  return undefined;
}

function toList(by: string | readonly string[]): readonly string[] {
  return typeof by === 'string' ? [by] : by;
}

/** One row for each element of a list; null and empty lists make none. */
function expandRows(fields: readonly ArrowField[], name: string): ReshapedRows | string {
  const listed = fields.find((one) => one.name === name);
  if (!listed) return noColumn('expand', name, fields);
  const element = elementOf(listed.type);
  if (element === undefined) return `expand: the column '${name}' is not a list`;
  return {
    fields: fields.map((one) => (one === listed ? field(name, element) : one)),
    reshape: async function* (records) {
      for await (const row of records) {
        const elements = row[name];
        if (!Array.isArray(elements)) continue;
        for (const value of elements as readonly CellValue[]) yield { ...row, [name]: value };
      }
    },
  };
}

function elementOf(type: ArrowType): ArrowType | undefined {
  return typeof type === 'object' && 'list' in type ? type.list : undefined;
}

/** One row for each distinct value of `by`, in the order of first rows; holds the groups in memory. */
function groupRows(
  fields: readonly ArrowField[],
  by: readonly string[],
  collect: readonly string[],
): ReshapedRows | string {
  const known = new Set(fields.map(({ name }) => name));
  const unknown = [...by, ...collect].find((name) => !known.has(name));
  if (unknown !== undefined) return noColumn('group', unknown, fields);
  const both = by.find((name) => collect.includes(name));
  if (both !== undefined) return `group: the column '${both}' is in both by and collect`;
  if (by.length === 0) return 'group: by names no column';
  const collected = new Set(collect);
  return {
    fields: fields.map((one) => (collected.has(one.name) ? field(one.name, { list: one.type }) : one)),
    reshape: async function* (records) {
      const groups = new Map<string, { first: OutputRow; lists: Record<string, CellValue[]> }>();
      for await (const row of records) {
        const key = stringifyJson(by.map((name) => row[name] ?? null));
        const group = groups.get(key);
        if (!group) groups.set(key, { first: row, lists: listsOf(row, collect) });
        else for (const name of collect) group.lists[name]?.push(row[name] ?? null);
      }
      for (const { first, lists } of groups.values()) yield { ...first, ...lists };
    },
  };
}

function listsOf(row: OutputRow, collect: readonly string[]): Record<string, CellValue[]> {
  return Object.fromEntries(collect.map((name) => [name, [row[name] ?? null]]));
}

function noColumn(option: string, name: string, fields: readonly ArrowField[]): string {
  return `${option}: the stage before has no column '${name}'; its columns: ${fields.map((one) => one.name).join(', ')}`;
}
