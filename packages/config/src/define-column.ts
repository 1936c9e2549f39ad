import { type ColumnConfig, type ColumnType, DataDesignerError, type OnFailure } from '@data-designer/core';
import { parseTemplate } from '@data-designer/template';
import { z } from 'zod';
import { scalarValue } from './schemas/exact-value.ts';

/** The schema of a column: a strict object, or a union of them with a discriminator. */
export type ColumnSchema = z.ZodObject | z.ZodDiscriminatedUnion<readonly z.ZodObject[]>;

/** A column type of any config. */
export type RegisteredColumn = ColumnType<never, ColumnSchema>;

const ON_FAILURE = ['drop_row', 'null', 'abort'] as const satisfies readonly OnFailure[];

/** The fields that every column has; spread into a column's own `z.strictObject`. */
export function columnFields<const Type extends string>(type: Type) {
  return {
    name: z.string().describe('Name of the column, unique in the dataset.'),
    columnType: z.literal(type).describe('What kind of column this is.'),
    drop: z.boolean().default(false).describe('Generate it and let others read it, but leave it out of the dataset.'),
    skip: skipRule.nullable().default(null).describe('When it is left out of a row.'),
    propagateSkip: z
      .boolean()
      .default(true)
      .describe('Leave it out of a row too where a column that it reads was left out.'),
    onFailure: z
      .union([z.enum(ON_FAILURE), z.null()], { error: `it must be ${ON_FAILURE.join(', ')}` })
      // YAML reads null without quotes as null.
      .transform((value) => value ?? 'null')
      .exactOptional()
      .describe(
        'What becomes of a row whose cell cannot be made: it is dropped unless given, has null, or ends the run.',
      ),
  };
}

/** The same for sampled and seed columns, which every row has and whose cells do not fail alone. */
export function sourceColumnFields<const Type extends string>(type: Type) {
  const { onFailure: _, ...fields } = columnFields(type);
  return {
    ...fields,
    skip: z
      .null({ error: 'a sampled or seed column is there in every row: put the rule on a column that reads it' })
      .default(null)
      .describe('Must be null: it is there in every row.'),
  };
}

/** Declares a column type; its functions receive the parsed declaration, typed by the schema. */
export function defineColumn<Schema extends ColumnSchema, Row = unknown>(
  column: ColumnType<z.output<Schema> & ColumnConfig, Schema, Row>,
): ColumnType<z.output<Schema> & ColumnConfig, Schema, Row> {
  return column;
}

/** When to skip a cell, and its value then. */
const skipRule = z.strictObject({
  when: z
    .string()
    .check((context) => {
      const mistake = mistakeIn(context.value);
      if (mistake !== undefined) context.issues.push({ code: 'custom', message: mistake, input: context.value });
    })
    .describe('A template over other columns, braces included: the cell is left out where it is true.'),
  value: scalarValue.nullable().default(null).describe('What the cell holds where it is left out.'),
});

/** Why a rule is no template that references a column: text without braces would always be true. */
function mistakeIn(when: string): string | undefined {
  try {
    const { references, globals } = parseTemplate(when);
    if (references.length > 0 || globals.length > 0) return undefined;
    return 'it names no column: write it with braces, as {{ score < 3 }}';
  } catch (thrown) {
    return DataDesignerError.fromUnknown(thrown).message;
  }
}
