import { z } from 'zod';
import { type ColumnRegistry, configJsonSchema } from '@data-designer/config';
import { defineTool, type ToolDefinition } from '@data-designer/mcp';
import { refusedCall } from './refused-call.ts';
import { READS } from './tool-hints.ts';

type Schema = Readonly<Record<string, unknown>>;

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
  readonly types: readonly (readonly [string, Schema])[];
  readonly samplers: readonly (readonly [string, Schema])[];
  readonly schemas: ReadonlyMap<string, Schema>;
}

/** Splits the schema of config files. */
function splitSchemas({ types: columnTypes, shell }: ColumnRegistry): SplitSchemas {
  const definitions = configJsonSchema(columnTypes, shell).$defs as Readonly<Record<string, Schema>>;
  const types = columnTypes.map(({ type }) => [type, withoutVariants(definitions[type] ?? {})] as const);
  const variants = (definitions.sampler?.allOf ?? []) as readonly Variant[];
  const samplers = variants.map(
    (variant) => [variant.if.properties.sampler_type.const, variant.then.properties.params] as const,
  );
  const { columns: _, ...around } = (definitions[DATASET]?.properties ?? {}) as Schema;
  const dataset = { ...definitions[DATASET], properties: { ...around, columns: { type: 'array' } } };
  return { types, samplers, schemas: new Map([[DATASET, dataset], ...types, ...samplers]) };
}

/** The parameters of one sampler in the schema of sampler columns. */
interface Variant {
  readonly if: { readonly properties: { readonly sampler_type: { readonly const: string } } };
  readonly then: { readonly properties: { readonly params: Schema } };
}

/** Removes the parameters of samplers, which are listed by sampler. */
function withoutVariants({ allOf: _, ...schema }: Schema): Schema {
  return schema;
}

/** The fields of an object's schema. */
interface Fields {
  readonly required?: readonly string[];
  readonly properties?: Schema;
}

function summary([name, schema]: readonly [string, Schema]): z.output<typeof kind> {
  const { required = [], properties = {} } = schema as Fields;
  const fields = Object.keys(properties);
  return {
    name,
    required: fields.filter((field) => required.includes(field)),
    optional: fields.filter((field) => !required.includes(field)),
  };
}
