import { type ArrowType, type Cell, type CellValue, DataDesignerError, field, type Row } from '@data-designer/core';
import { columnFields, defineColumn } from '@data-designer/config';
import { z } from 'zod';
import { compileTemplate, parseTemplate } from '@data-designer/template';
import { templateReferences } from '../template-references.ts';
import { cast, type Dtype } from './cast.ts';

const ARROW = { int: 'int64', float: 'float64', str: 'utf8', bool: 'bool' } as const satisfies Record<Dtype, ArrowType>;

/** A template over the row's other columns, rendered without a model and cast; a row without a value is lost. */
export const expression = defineColumn({
  type: 'expression',
  schema: z.strictObject({
    ...columnFields('expression'),
    expr: z.string().regex(/\S/, { error: 'it must not be blank' }).describe('A Jinja template over other columns.'),
    dtype: z.enum(['int', 'float', 'str', 'bool']).default('str').describe('What the rendered text is cast to.'),
  }),
  reads: ({ expr }) => templateReferences(expr, 'expr'),
  writes: ({ name, dtype }) => [field(name, ARROW[dtype])],
  cell: ({ expr, dtype }) => {
    const render = compileTemplate(expr);
    const { references } = parseTemplate(expr);
    return (cell: Cell) => {
      const { row } = cell;
      const text = render(row, () => cell.random.float());
      if (text.trim() === '') throw blank(expr, references, row);
      return [cast(text, dtype)];
    };
  },
});

/** Null, missing or blank. */
function isNothing(value: CellValue | undefined): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

function blank(template: string, references: readonly string[], row: Row): DataDesignerError {
  const culprits = references.filter((name) => isNothing(row[name]));
  return new DataDesignerError('template/empty-render', { template, culprits });
}
