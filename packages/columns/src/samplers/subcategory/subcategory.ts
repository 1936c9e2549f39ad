import { z } from 'zod';
import { type CellValue, DataDesignerError, stringifyJson, valueType, type TypeFunction } from '@data-designer/core';
import type { DrawnSubvalue } from '@data-designer/config';
import { defineSampler, samplerFields } from '../../define-sampler.ts';
import { listAs, listedValue, listType } from '../value-list.ts';
import { uniformChoice } from '../weighted-choice.ts';
import { checkLists } from './check-lists.ts';

const schema = z
  .strictObject({
    ...samplerFields('subcategory'),
    category: z.string().describe('The `category` column whose value selects the list.'),
    values: z
      .record(z.string(), z.array(listedValue))
      .describe('The list of values to draw from, for each value of the category column.'),
  })
  .describe('Draws a value from the list that belongs to the category of the row, each with equal probability.');

/** A value of one of the declared lists. */
export interface ListedForCategory extends TypeFunction {
  readonly type: this['config'] extends { readonly values: infer Values } ? DrawnSubvalue<Values> : unknown;
}

/** Draws from the list that belongs to another column's value in the same row. */
export const subcategory = defineSampler({
  type: 'subcategory',
  schema,
  value: valueType<ListedForCategory>(),
  statistics: 'categorical',
  choices: ({ values }) => new Set(Object.values(values).flat()).size,
  example: { category: 'color', values: { red: ['brick', 'rose'], green: ['fern', 'olive'] } },
  arrow: ({ values }) => listType(Object.values(values).flat()),
  converts: 'number',
  reads: ({ category }) => [{ name: category, field: ['category'] }],
  check: checkLists,
  draw: ({ category, values }, column) => {
    const type = listType(Object.values(values).flat());
    const choices = new Map(Object.entries(values).map(([key, list]) => [key, uniformChoice(listAs(type, list))]));
    return (random, [parent]) => {
      const choose = typeof parent === 'string' ? choices.get(parent) : undefined;
      if (choose === undefined) throw withoutList(parent, { column, category });
      return choose(random);
    };
  },
});

function withoutList(parent: CellValue | undefined, of: { column: string; category: string }): DataDesignerError {
  const value = stringifyJson(parent ?? null);
  const message = `the value ${value} of the column '${of.category}' has no list.`;
  const remedy = typeof parent === 'string' ? 'Add a list for it.' : 'Use text values in the category column.';
  const violation = { stage: 'run', type: 'missing_list', level: 'ERROR', column: of.column } as const;
  const violations = [{ ...violation, path: 'params.values', message, remedy }];
  return new DataDesignerError('config/invalid', { source: `The column '${of.column}'`, violations });
}
