import { z } from 'zod';
import type { ColumnConfig, ColumnType, OnFailure } from '@data-designer/core';
import { skipRule } from './schemas/skip-rule.ts';

/** The schema of a column's declaration: an object that refuses unknown keys, or several told apart by one key. */
export type ColumnSchema = z.ZodObject | z.ZodDiscriminatedUnion<readonly z.ZodObject[]>;

/** A column type seen from outside, where its own config type is not known. */
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
      // In YAML, null without quotes is no text.
      .transform((value) => value ?? 'null')
      .exactOptional()
      .describe(
        'What becomes of a row whose cell cannot be made: it is dropped unless given, has null, or ends the run.',
      ),
  };
}

/** The same for columns that are there before any other: no row lacks them, and none of their cells fails alone. */
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
