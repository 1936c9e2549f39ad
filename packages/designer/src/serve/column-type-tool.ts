import { z } from 'zod';
import { type ColumnRegistry, configJsonSchema } from '@data-designer/config';
import { type Fields, fieldsOf } from '@data-designer/core';
import { defineTool, type ToolDefinition } from '@data-designer/mcp';
import { type FamilyName, type KnownType, typeFamilies } from './type-families.ts';
import { refusedCall } from './refused-call.ts';
import { READS } from './tool-hints.ts';

const kind = z.object({ name: z.string(), required: z.array(z.string()), optional: z.array(z.string()) });

/** The name of the schema of a config without its columns. */
const DATASET = 'dataset';

/** The tool that lists column types and samplers, with their JSON Schemas on request. */
export function columnTypeTool(registry: ColumnRegistry): ToolDefinition {
  let split: SplitSchemas | undefined;
  return defineTool({
    name: 'list_column_types',
    description:
      'Lists the column types and samplers of dataset configs with their fields, and the JSON Schemas of the given names.',
    parameters: z.strictObject({
      names: z
        .array(z.string())
        .default([])
        .describe(
          `Column types and samplers to return JSON Schemas of; '${DATASET}' is the config around the columns, 'all' returns all.`,
        ),
    }),
    execute: ({ names }) => {
      const { types, samplers, schemas } = (split ??= splitSchemas(registry));
      const wanted = names.includes('all') ? [...schemas.keys()] : names;
      const missing = wanted.find((name) => !schemas.has(name));
      if (missing !== undefined) {
        throw refusedCall(`There is no '${missing}'. There are ${[...schemas.keys()].join(', ')}.`);
      }
      const requested = Object.fromEntries(wanted.map((name) => [name, schemas.get(name)]));
      return { column_types: types.map(summary), samplers: samplers.map(summary), schemas: requested };
    },
    hints: {
      title: 'List column types',
      ...READS,
      outputSchema: z.object({
        column_types: z.array(kind),
        samplers: z.array(kind).describe("Values of 'sampler_type', with the fields of 'params'."),
        schemas: z.record(z.string(), z.record(z.string(), z.unknown())),
      }),
    },
  });
}

/** The parts of the config schema. */
interface SplitSchemas {
  readonly types: readonly KnownType[];
  readonly samplers: readonly KnownType[];
  readonly schemas: ReadonlyMap<string, Fields>;
}

/** Splits the schema of config files. */
function splitSchemas({ types: columnTypes, shell }: ColumnRegistry): SplitSchemas {
  const schema = configJsonSchema(columnTypes, { declaration: shell });
  const families = typeFamilies(schema);
  const typesOf = (name: FamilyName): readonly KnownType[] =>
    families.find(({ family }) => family === name)?.types ?? [];
  const types = typesOf('columns');
  const samplers = typesOf('samplers');
  const whole = fieldsOf(fieldsOf(schema.$defs).dataset);
  const dataset = { ...whole, properties: { ...fieldsOf(whole.properties), columns: { type: 'array' } } };
  const schemas = [...types, ...samplers].map((one) => [one.type, one.schema] as const);
  return { types, samplers, schemas: new Map([[DATASET, dataset], ...schemas]) };
}

function summary({ type, required, optional }: KnownType): z.output<typeof kind> {
  return { name: type, required: [...required], optional: [...optional] };
}
