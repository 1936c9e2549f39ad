import { z } from 'zod';
import type { RegisteredColumn } from './define-column.ts';
import { datasetShell, wrappedShell } from './schemas/dataset-config.ts';
import { snakeCase } from './spelling.ts';

type JsonSchema = Record<string, unknown>;

/**
 * The JSON Schema of dataset files, for editors: either form, every column type, keys as files spell them. It is what
 * people should write; files that write numbers or truths as text are read too.
 */
export function configJsonSchema(types: readonly RegisteredColumn[], declaration = datasetShell): JsonSchema {
  const shell = fileSchema(declaration);
  const columns = { ...(shell.properties as Record<string, JsonSchema>).columns, items: { $ref: '#/$defs/column' } };
  const dataset = { ...shell, properties: { ...(shell.properties as JsonSchema), columns } };
  const wrapped = fileSchema(wrappedShell);
  const wrapper = { ...(wrapped.properties as JsonSchema), data_designer: { $ref: '#/$defs/dataset' } };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A dataset for Data Designer',
    type: 'object',
    ...ifThen({ required: ['data_designer'] }, { ...wrapped, properties: wrapper, required: ['data_designer'] }),
    else: { $ref: '#/$defs/dataset' },
    $defs: { dataset, column: anyColumn(types), ...Object.fromEntries(types.map(columnEntry)) },
  };
}

/** One branch for each type, so that an editor speaks of the fields of the type that was named. */
function anyColumn(types: readonly RegisteredColumn[]): JsonSchema {
  return {
    type: 'object',
    properties: { column_type: { enum: types.map(({ type }) => type) } },
    required: ['name', 'column_type'],
    allOf: types.map(({ type }) => when('column_type', type, { $ref: `#/$defs/${type}` })),
  };
}

function columnEntry({ type, schema }: RegisteredColumn): [string, JsonSchema] {
  return [type, tagged(fileSchema(schema))];
}

/**
 * Parameters that are told apart by a tag of their column, told apart in the schema too: without it every branch that
 * fits would count.
 */
function tagged(schema: JsonSchema): JsonSchema {
  const { properties } = schema as { readonly properties?: Record<string, JsonSchema> };
  const branches = Object.entries(properties ?? {}).flatMap(([key, part]) => {
    const tag = tagOf(part);
    return tag && Object.hasOwn(properties ?? {}, tag.name)
      ? tag.variants.map((one) => ({ key, tag: tag.name, ...one }))
      : [];
  });
  if (branches.length === 0) return schema;
  const open = Object.fromEntries(
    branches.map(({ key }) => [key, { type: 'object', description: properties?.[key]?.description }]),
  );
  return {
    ...schema,
    properties: { ...properties, ...open },
    allOf: branches.map(({ key, tag, value, variant }) => when(tag, value, { properties: { [key]: variant } })),
  };
}

/** The tag that tells the alternatives of a schema apart, where they all have one. */
function tagOf(part: JsonSchema) {
  const variants = part.anyOf as readonly { readonly properties?: Record<string, JsonSchema> }[] | undefined;
  const [first] = variants ?? [];
  const name = Object.entries(first?.properties ?? {}).find(([, one]) => one.const !== undefined)?.[0];
  if (!variants || name === undefined) return undefined;
  const named = variants.map((variant) => ({
    value: variant.properties?.[name]?.const,
    variant: variant as JsonSchema,
  }));
  return named.every(({ value }) => value !== undefined) ? { name, variants: named } : undefined;
}

function when(key: string, value: unknown, then: JsonSchema): JsonSchema {
  return ifThen({ properties: { [key]: { const: value } }, required: [key] }, then);
}

/** An object with a key `then` that is no promise. */
function ifThen(condition: JsonSchema, consequence: JsonSchema): JsonSchema {
  const clauses: readonly [string, JsonSchema][] = [
    ['if', condition],
    ['then', consequence],
  ];
  return Object.fromEntries(clauses);
}

/** A schema as files have it: keys in snake_case, and alternatives that may both fit. */
function fileSchema(schema: z.core.$ZodType): JsonSchema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ jsonSchema }) => {
      const { properties, required, oneOf } = jsonSchema;
      if (properties) {
        jsonSchema.properties = Object.fromEntries(
          Object.entries(properties).map(([key, part]) => [snakeCase(key), part]),
        );
      }
      if (required) jsonSchema.required = required.map(snakeCase);
      if (oneOf) {
        jsonSchema.anyOf = oneOf;
        delete jsonSchema.oneOf;
      }
    },
  });
  return made;
}
