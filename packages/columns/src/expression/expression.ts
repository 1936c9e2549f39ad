import { z } from 'zod';
import { type ArrowType, type Cell, field, type Finding, type TypeFunction, valueType } from '@data-designer/core';
import { columnFields, defineColumn, loadRemedies, type CastValue, type RowWith } from '@data-designer/config';
import { compileTemplate, parseTemplate } from '@data-designer/template';
import { emptyRender } from '../llm-column.ts';
import { cast, type Dtype, INT64_BOUND } from './cast.ts';
import { castSkipValue, type SkipValue } from './skip-value.ts';
import { runFinding } from '../run-finding.ts';

const ARROW = { int: 'int64', float: 'float64', str: 'utf8', bool: 'bool' } as const satisfies Record<Dtype, ArrowType>;

/** Rendered text in the type of the declared `dtype`. */
export interface CastText extends TypeFunction {
  readonly type: CastValue<this['config']>;
}

/** A template over other columns, rendered without a model and cast; a blank result loses the row. */
export const expression = defineColumn({
  type: 'expression',
  bounded: true,
  schema: z
    .strictObject({
      ...columnFields('expression'),
      expr: z
        .string()
        .regex(/\S/, { error: 'the text must not be blank; write a text' })
        .describe('A Jinja template that can read all other columns.'),
      dtype: z
        .enum(['int', 'float', 'str', 'bool'])
        .default('str')
        .describe('The type to convert the rendered text to.'),
    })
    .describe('Renders a template without a model and converts the text to `dtype`. A row whose text is blank is lost.')
    .check(({ value: column, issues }) => {
      const value = skipValueOf(column);
      if (value === null || castSkipValue(value, column.dtype) !== undefined) return;
      const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
      issues.push({
        code: 'custom',
        message: `skip.value ${shown} cannot be converted to ${column.dtype}; change it, or dtype`,
        input: column,
      });
    })
    .overwrite(withCastSkipValue),
  row: valueType<RowWith<CastText>>(),
  example: { name: 'shout', column_type: 'expression', expr: '{{ topic | upper }} {{ number + 1 }}' },
  templates: ({ expr }) => [{ source: expr, field: ['expr'], role: 'expression' }],
  writes: ({ name, dtype }) => [field(name, ARROW[dtype])],
  choices: ({ expr, dtype }, choicesOf) => {
    const { references, globals } = parseTemplate(expr);
    const count = isRepeatable(expr) && globals.length === 0 ? productOf(references.map(choicesOf)) : undefined;
    return dtype === 'bool' ? Math.min(count ?? 2, 2) : count;
  },
  check: (config, dataset) => [
    ...checkSkipValue(config),
    // Remedies are loaded for mistakes alone.
    ...(config.expr.includes('{') ? [] : loadRemedies().missingBraces(config, dataset)),
  ],
  cell: ({ expr, dtype }, { templates, isPortable = true }) => {
    const render = compileTemplate(expr, { mode: templates, isPortable });
    const { references } = parseTemplate(expr);
    return (cell: Cell) => {
      const { row } = cell;
      const text = render(row, () => cell.random.float());
      if (text.trim() === '') throw emptyRender(expr, references, row);
      return [cast(text, dtype)];
    };
  },
});

/** Whether a template gives the same text for the same values: the filter `random` does not, whatever names it. */
function isRepeatable(template: string): boolean {
  return !/\brandom\b/.test(template);
}

/** Undefined if one of the factors is. */
function productOf(factors: readonly (number | undefined)[]): number | undefined {
  return factors.reduce(
    (product, factor) => (product !== undefined && factor !== undefined ? product * factor : undefined),
    1,
  );
}

interface Skipping {
  readonly skip: { readonly when: string; readonly value: SkipValue | null } | null;
  readonly dtype: Dtype;
}

function skipValueOf({ skip }: Skipping): SkipValue | null {
  return skip?.value ?? null;
}

/** Casts the skip value to the column's dtype. */
function withCastSkipValue<Column extends Skipping>(column: Column): Column {
  const value = skipValueOf(column);
  if (value === null) return column;
  return { ...column, skip: { ...column.skip, value: castSkipValue(value, column.dtype) ?? null } };
}

/** Integers of any size can be declared, but not stored. */
function checkSkipValue(column: Skipping): Finding[] {
  const value = skipValueOf(column);
  if (typeof value !== 'bigint' || (value >= -INT64_BOUND && value < INT64_BOUND)) return [];
  return [
    runFinding(['skip', 'value'], {
      type: 'out_of_range',
      message: `${value} does not fit into a 64-bit integer column.`,
      remedy: 'Use a smaller number, or the dtype str.',
    }),
  ];
}
