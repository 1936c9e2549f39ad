import { z } from 'zod';
import { optionRule } from '@data-designer/config';
import { type CellValue, field, stringifyJson } from '@data-designer/core';
import { defineInput, noColumn, oneOrMore, type StageRow, type StageRows } from '../input-kind.ts';

/** Rows that become one: those with equal values of `by`. */
export interface GroupOptions {
  /** The column, or columns, whose values a group shares. */
  readonly by: string | readonly string[];
  /** Columns whose values become a list, in the order of the rows. Of the other columns, the group has its first value. */
  readonly collect: readonly string[];
}

/** The option of a stage. */
export interface GroupOption {
  /** Makes one input row of several rows. */
  readonly group?: GroupOptions;
}

/** The rows of an input whose rows are grouped. */
export type GroupedRow<Row, Options> = Options extends {
  readonly group: { readonly collect: readonly (infer Collected)[] };
}
  ? { [Key in keyof Row]: Key extends Collected ? Row[Key][] : Row[Key] }
  : Row;

/** One row for each distinct value of `by`, in the order of first rows; holds the groups in memory. */
export const group = defineInput<GroupOptions>({
  name: 'group',
  schema: z
    .strictObject({
      by: oneOrMore.describe('The columns whose values a group shares.'),
      collect: z.array(z.string()).describe('Columns whose values become a list.'),
    })
    .describe('Makes one input row of several rows.'),
  rule: {
    ...optionRule.mapping,
    within: { by: { ...optionRule.any, required: true }, collect: { ...optionRule.list, required: true } },
  },
  step: 'reshape',
  shape: (options, [input], stage) => {
    const { collect } = options;
    const by = columnsOf(options);
    const known = new Set(input.fields.map(({ name }) => name));
    const unknown = [...by, ...collect].find((name) => !known.has(name));
    if (unknown !== undefined) return noColumn('group', unknown, input);
    const both = by.find((name) => collect.includes(name));
    if (both !== undefined) return `group: the column '${both}' is in both by and collect`;
    if (by.length === 0) return 'group: by names no column';
    const collected = new Set(collect);
    const fields = input.fields.map((one) => (collected.has(one.name) ? field(one.name, { list: one.type }) : one));
    const own = collect.map((name) => [name, stage] as const);
    return [{ ...input, fields, origins: new Map([...input.origins, ...own]) }];
  },
  make: async (options, [input]) => [{ records: () => groupRows(input, options) }],
  forecast: async (options, sample) => {
    const growth = await growthOfGroups(sample, columnsOf(options));
    const note = `twice the rows have ${(2 ** growth).toFixed(1)} times as many groups`;
    return { growth, verb: 'form', noun: 'groups', note };
  },
  noRows: (_, from) => `'${from}' has no row`,
});

function columnsOf({ by }: GroupOptions): readonly string[] {
  return typeof by === 'string' ? [by] : by;
}

async function* groupRows(
  { records }: Pick<StageRows, 'records'>,
  options: GroupOptions,
): AsyncGenerator<Record<string, CellValue>> {
  const { collect } = options;
  const by = columnsOf(options);
  const groups = new Map<string, { first: StageRow; lists: Record<string, CellValue[]> }>();
  for await (const row of records()) {
    const key = keyOf(row, by);
    const found = groups.get(key);
    if (!found) groups.set(key, { first: row, lists: listsOf(row, collect) });
    else for (const name of collect) found.lists[name]?.push(row[name] ?? null);
  }
  for (const { first, lists } of groups.values()) yield { ...first, ...lists };
}

function keyOf(row: StageRow, by: readonly string[]): string {
  return stringifyJson(by.map((name) => row[name] ?? null));
}

function listsOf(row: StageRow, collect: readonly string[]): Record<string, CellValue[]> {
  return Object.fromEntries(collect.map((name) => [name, [row[name] ?? null]]));
}

/**
 * The exponent by which the number of groups grows with the rows, as that of words in a text does (Heaps' law): 1 if the
 * second half of the sample has as many new groups as the first, 0 if it has none.
 */
async function growthOfGroups({ records, rows }: StageRows, by: readonly string[]): Promise<number> {
  const groups = new Set<string>();
  let row = 0;
  let half = 0;
  for await (const record of records()) {
    groups.add(keyOf(record, by));
    if (++row === Math.ceil(rows / 2)) half = groups.size;
  }
  return half === 0 ? 1 : Math.min(1, Math.log2(groups.size / half));
}
