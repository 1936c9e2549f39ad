import { type ColumnConfig, type ColumnType, DataDesignerError, type OnFailure } from '@data-designer/core';
import { parseTemplate } from '@data-designer/template';
import { z } from 'zod';
import { newerKey } from './read-form.ts';
import { scalarValue } from './schemas/exact-value.ts';

/** The schema of a column: a strict object, or a union of them with a discriminator. */
export type ColumnSchema = z.ZodObject | z.ZodDiscriminatedUnion<readonly z.ZodObject[]>;

/** A column type of any config. */
export type RegisteredColumn = ColumnType<never, ColumnSchema>;

const ON_FAILURE = ['drop_row', 'null', 'abort'] as const satisfies readonly OnFailure[];

/** When to skip a cell, and its value then. */
const skipRule = z.strictObject({
  when: z
    .string()
    .check((context) => {
      const mistake = mistakeIn(context.value);
      if (mistake !== undefined) context.issues.push({ code: 'custom', message: mistake, input: context.value });
    })
    .describe(
      'A template that reads other columns, such as `{{ score < 3 }}`. The cell is skipped in rows in which it is true.',
    ),
  value: scalarValue.nullable().default(null).describe('The value of a skipped cell.'),
});

/** Shared by all column types, for a thread makes a schema in 20 us and loads all types. */
const FIELDS = {
  name: z.string().describe('Name of the column, unique in the dataset. Templates refer to it.'),
  drop: z
    .boolean()
    .default(false)
    .describe('Whether to leave the column out of the dataset. Other columns can still read it.'),
  skip: skipRule
    .nullable()
    .default(null)
    .describe('A rule that skips the cell in some rows; null to make it in every row.'),
  propagateSkip: z
    .boolean()
    .default(true)
    .describe('Whether to skip the cell in rows in which a column that it reads was skipped.'),
  onFailure: z
    .union([z.enum(ON_FAILURE), z.null()])
    // YAML reads null without quotes as null.
    .transform((value) => value ?? 'null')
    .exactOptional()
    .describe(
      'The effect of a failed cell: `drop_row` (the default) leaves the row out, `null` stores null in the cell, `abort` ends the run.',
    ),
  storageEncoding: newerKey('json', 'native').describe(
    'How files store the column: `json` as JSON text, which keeps values of any shape; `native` (the default) in columns with types, where Parquet has a type for the values. Templates, records and exports have the values themselves.',
  ),
};

const SOURCE_SKIP = z
  .null({ error: 'sampler and seed columns cannot be skipped; add the rule to a column that reads this one' })
  .default(null)
  .describe('Must be null: every row has a value in such a column.');

/** Returns the keys that every column has. Spread them into the `z.strictObject` of a column type. */
export function columnFields<const Type extends string>(type: Type) {
  const { name, drop, skip, propagateSkip, onFailure, storageEncoding } = FIELDS;
  const columnType = z.literal(type).describe('The type of the column.');
  return { name, columnType, drop, skip, propagateSkip, onFailure, storageEncoding };
}

/** The same for sampled and seed columns, which every row has and whose cells do not fail alone. */
export function sourceColumnFields<const Type extends string>(type: Type) {
  const { onFailure: _, ...fields } = columnFields(type);
  return { ...fields, skip: SOURCE_SKIP };
}

/** Declares a column type; its functions receive the parsed declaration, typed by the schema. */
export function defineColumn<Schema extends ColumnSchema, Row = unknown>(
  column: ColumnType<z.output<Schema> & ColumnConfig, Schema, Row>,
): ColumnType<z.output<Schema> & ColumnConfig, Schema, Row> {
  return column;
}

/** A comparison without braces, which people write with one equals sign too. */
const COMPARISON = /^\s*(?<name>[A-Za-z_][\w.]*)\s*(?<sign>==?|!=|<=?|>=?)\s*(?<value>"[^"{}]*"|'[^'{}]*'|[\w.-]+)\s*$/;

/** The condition with braces if it is a comparison, else an example. */
function conditionLike(when: string): string {
  const { name, sign, value } = COMPARISON.exec(when)?.groups ?? {};
  return name === undefined ? '{{ score < 3 }}' : `{{ ${name} ${sign === '=' ? '==' : sign} ${value} }}`;
}

/** Why a rule is no template that references a column: text without braces would always be true. */
function mistakeIn(when: string): string | undefined {
  try {
    const { references, globals } = parseTemplate(when);
    if (references.length > 0 || globals.length > 0) return undefined;
    return `the condition refers to no column; write it with braces, as in ${conditionLike(when)}`;
  } catch (thrown) {
    return DataDesignerError.fromUnknown(thrown).message;
  }
}
