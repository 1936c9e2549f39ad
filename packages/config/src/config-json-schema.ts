import { z } from 'zod';
import { type Fields, fieldsOf, itemsOf } from '@data-designer/core';
import type { RegisteredColumn } from './define-column.ts';
import { datasetShell, wrappedShell } from './schemas/dataset-config.ts';
import { isMapping, type Mapping, snakeCase } from './spelling.ts';

/** The schemas of files beside those of column types. */
interface FileSchemas {
  /** A dataset; that of the built-in types unless given. */
  readonly declaration?: typeof datasetShell;
  /** A workflow; only datasets are allowed without it. */
  readonly flow?: z.ZodObject;
}

/** The JSON Schema of dataset and workflow files for editors, in the recommended spelling: keys in snake_case. */
export function configJsonSchema(
  types: readonly RegisteredColumn[],
  { declaration = datasetShell, flow }: FileSchemas = {},
): Fields {
  const shell = fileSchema(declaration);
  const properties = fieldsOf(shell.properties);
  const columns = { ...fieldsOf(properties.columns), items: { $ref: '#/$defs/column' } };
  const wrapped = fileSchema(wrappedShell);
  const wrapper = { ...fieldsOf(wrapped.properties), data_designer: { $ref: '#/$defs/dataset' } };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A dataset or a workflow for Data Designer',
    type: 'object',
    ...ifThen({ required: ['data_designer'] }, { ...wrapped, properties: wrapper, required: ['data_designer'] }),
    else: flow
      ? { ...ifThen({ required: ['stages'] }, { $ref: '#/$defs/workflow' }), else: { $ref: '#/$defs/dataset' } }
      : { $ref: '#/$defs/dataset' },
    $defs: {
      ...(flow && { workflow: workflowSchema(flow) }),
      dataset: { ...shell, properties: { ...properties, columns } },
      column: anyColumn(types),
      ...Object.fromEntries(types.map(({ type, schema }) => [type, tagged(fileSchema(schema))])),
    },
  };
}

/** The file of a workflow, whose stages may contain their configs. */
function workflowSchema(flow: z.ZodObject): Fields {
  const { properties, ...schema } = fileSchema(flow);
  const { stages, ...others } = fieldsOf(properties);
  const items = fieldsOf(fieldsOf(stages).items);
  const stage = fieldsOf(items.properties);
  const config = { ...fieldsOf(stage.config), anyOf: [{ type: 'string' }, { $ref: '#/$defs/dataset' }] };
  const typed = { ...fieldsOf(stages), items: { ...items, properties: { ...stage, config } } };
  return { ...schema, properties: { ...others, stages: typed } };
}

/** One branch per column type, so that an editor suggests the fields of the declared type. */
function anyColumn(types: readonly RegisteredColumn[]): Fields {
  return {
    type: 'object',
    properties: { column_type: { enum: types.map(({ type }) => type) } },
    required: ['name', 'column_type'],
    allOf: types.map(({ type }) => when('column_type', type, { $ref: `#/$defs/${type}` })),
  };
}

/** Selects the variants of a field by the tag in another field of the column, as an editor would otherwise accept any. */
function tagged(schema: Fields): Fields {
  const properties = fieldsOf(schema.properties);
  const branches = Object.entries(properties).flatMap(([key, part]) => {
    const tag = tagOf(fieldsOf(part));
    return tag && Object.hasOwn(properties, tag.name)
      ? tag.variants.map((one) => ({ key, tag: tag.name, ...one }))
      : [];
  });
  if (branches.length === 0) return schema;
  const open = Object.fromEntries(
    branches.map(({ key }) => [key, { type: 'object', description: fieldsOf(properties[key]).description }]),
  );
  return {
    ...schema,
    properties: { ...properties, ...open },
    allOf: branches.map(({ key, tag, value, variant }) => when(tag, value, { properties: { [key]: variant } })),
  };
}

const isTag = (schema: unknown): boolean => fieldsOf(schema).const !== undefined;

/** The tag of the variants of a schema; undefined unless all have it. */
function tagOf({ anyOf }: Fields) {
  const variants = itemsOf(anyOf).map((variant) => ({ variant, properties: fieldsOf(fieldsOf(variant).properties) }));
  const name = Object.entries(variants[0]?.properties ?? {}).find(([, part]) => isTag(part))?.[0];
  if (name === undefined || !variants.every(({ properties }) => isTag(properties[name]))) return undefined;
  return {
    name,
    variants: variants.map(({ variant, properties }) => ({ value: fieldsOf(properties[name]).const, variant })),
  };
}

function when(key: string, value: unknown, then: Fields): Fields {
  return ifThen({ properties: { [key]: { const: value } }, required: [key] }, then);
}

/** `if` and `then` clauses, made from entries: an object literal with `then` looks like a promise to the linter. */
function ifThen(condition: Fields, consequence: Fields): Fields {
  const clauses: readonly [string, Fields][] = [
    ['if', condition],
    ['then', consequence],
  ];
  return Object.fromEntries(clauses);
}

/** A default with keys as files write them. */
function snakeCased(value: Mapping): Mapping {
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [snakeCase(key), part]));
}

/** The JSON Schema of a file: keys in snake_case; several variants may match. */
export function fileSchema(schema: z.core.$ZodType): Fields {
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
      if (isMapping(jsonSchema.default)) jsonSchema.default = snakeCased(jsonSchema.default);
      if (oneOf) {
        jsonSchema.anyOf = oneOf;
        delete jsonSchema.oneOf;
      }
    },
  });
  return made;
}
