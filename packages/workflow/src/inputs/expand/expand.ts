import { z } from 'zod';
import { optionRule } from '@data-designer/config';
import { type ArrowType, type CellValue, field } from '@data-designer/core';
import { defineInput, noColumn } from '../input-kind.ts';

/** The option of a stage. */
export interface ExpandOption {
  /** Makes one input row of each element of this list column; the element replaces the list. */
  readonly expand?: string;
}

type Element<List> = List extends readonly (infer Item)[] ? Item : unknown;

/** The rows of an input whose lists are expanded. */
export type ExpandedRow<Row, Options> = Options extends { readonly expand: infer Column }
  ? { [Key in keyof Row]: Key extends Column ? Element<NonNullable<Row[Key]>> : Row[Key] }
  : Row;

/** One row for each element of a list; null and empty lists make none. */
export const expand = defineInput<string>({
  name: 'expand',
  schema: z.string().describe('Makes one input row of each element of this list column.'),
  rule: optionRule.text,
  step: 'reshape',
  addsBehind: true,
  shape: (name, [input], stage) => {
    const listed = input.fields.find((one) => one.name === name);
    if (!listed) return noColumn('expand', name, input);
    const element = elementOf(listed.type);
    if (element === undefined) return `expand: the column '${name}' is not a list`;
    const fields = input.fields.map((one) => (one === listed ? field(name, element) : one));
    return [{ ...input, fields, origins: new Map([...input.origins, [name, stage]]) }];
  },
  assume: (name, column) => (column.name === name ? field(name, { list: 'utf8' }) : column),
  make: async (name, [input]) => [
    {
      records: async function* () {
        for await (const row of input.records()) {
          const elements = row[name];
          if (!Array.isArray(elements)) continue;
          for (const value of elements as readonly CellValue[]) yield { ...row, [name]: value };
        }
      },
    },
  ],
  forecast: async () => ({ verb: 'expand to', noun: 'rows' }),
  noRows: (name) => `every list of '${name}' is empty`,
});

function elementOf(type: ArrowType): ArrowType | undefined {
  return typeof type === 'object' && 'list' in type ? type.list : undefined;
}
