import { samplers } from '@data-designer/columns';
import {
  datasetShell,
  executionProvider,
  fileSchema,
  mcpProvider,
  modelProvider,
  processorTypes,
  seedKinds,
} from '@data-designer/config';
import { type Fields, fieldsOf } from '@data-designer/core';
import { code, page } from './markdown.ts';
import { builtInModels, builtInServers, scipyDistributions } from './built-in-tables.ts';
import { descriptionOf, KeyTables, tagOf, variantsOf } from './schema-text.ts';

const dataset = fieldsOf(fileSchema(datasetShell).properties);

/** The object schema within a key that may be null or a list. */
function objectsOf(key: string): Fields {
  const variants = variantsOf(fieldsOf(dataset[key])).filter(({ type }) => type !== 'null');
  const items = fieldsOf(variants[0]?.items);
  return variants[0]?.type === 'array' ? items : (variants[0] ?? {});
}

/** One section per variant of a union, with the table of its keys. */
function variantSections(schemas: readonly Fields[], tag: string): string[] {
  const tables = new KeyTables();
  return schemas.flatMap((schema) => {
    const title = tagOf(schema, tag);
    return [`## ${code(title)}`, descriptionOf(schema), ...tables.render(schema, { level: 3, owner: code(title) })];
  });
}

/** The keys of a config file. */
export function configPage(): string {
  const links: Readonly<Record<string, string>> = {
    columns: '[Column types](./columns)',
    model_configs: '[Models and providers](./models)',
    tool_configs: '[Tools](./tools)',
    seed_config: '[Seeds](./seeds)',
    processors: '[Processors](./processors)',
  };
  const properties = Object.entries(dataset).map(([key, part]) => {
    const field = fieldsOf(part);
    if (links[key] === undefined) return [key, field] as const;
    return [
      key,
      {
        ...field,
        anyOf: undefined,
        type: typeName(key),
        description: `${String(field.description)} See ${links[key]}.`,
      },
    ] as const;
  });
  const schema = { properties: Object.fromEntries(properties), required: ['columns'] };
  return page('Config file', [
    'A config is one mapping, written as YAML or JSON. It declares the columns of a dataset and everything that they need. The config builder of the [TypeScript API](./api#datadesignerconfigbuilder) takes the same keys in `camelCase`.',
    'Keys are written in `snake_case` or in `camelCase`. An unknown key is a mistake, and the message suggests the closest known key. A config that wraps these keys in `data_designer`, as the Python tool writes it, loads too.',
    'For completion and hints in an editor with a YAML language server, begin the file with this line. The path leads to the schema in the installed package:',
    '```yaml\n# yaml-language-server: $schema=./node_modules/data-designer/dist/schema.json\n```',
    '## Top-level keys',
    ...new KeyTables().render(schema, { level: 2, owner: 'a config' }),
  ]);
}

function typeName(key: string): string {
  return key === 'seed_config'
    ? 'object or `null`'
    : key === 'columns'
      ? 'list of objects'
      : 'list of objects or `null`';
}

/** The parameters of each sampler. */
export function samplersPage(): string {
  const tables = new KeyTables();
  const sections = samplers.flatMap(({ type, schema }) => {
    const parameters = fileSchema(schema);
    const { sampler_type: _, ...properties } = fieldsOf(parameters.properties);
    return [
      `## ${code(type)}`,
      descriptionOf(parameters),
      ...tables.render({ ...parameters, properties }, { level: 3, owner: code(type) }),
      ...(type === 'scipy' ? scipyDistributions() : []),
    ];
  });
  return page('Samplers', [
    'A column with `column_type: sampler` draws its values without a model. Its `sampler_type` names one of these samplers, and `params` holds the parameters of that sampler. The [other keys of the column](./columns#sampler) are the same for all samplers.',
    ...sections,
  ]);
}

/** Models, their parameters, and model providers. */
export function modelsPage(): string {
  const tables = new KeyTables();
  return page('Models and providers', [
    'A column names a model by its alias. `model_configs` of the [config](./config) declares the alias: the name of the model, its provider, and the inference parameters. The provider says where requests are sent and with which key.',
    '## Models',
    'Each entry of `model_configs` has these keys.',
    ...tables.render(objectsOf('model_configs'), { level: 3, owner: 'a model' }),
    '## Model providers',
    'Model providers are declared in a file, `providers: [...]`, never in a config. `--providers` names the file; `model_providers.yaml` in the [home folder](./settings#home-folder) is always read.',
    ...tables.render(fileSchema(modelProvider), { level: 3, owner: 'a model provider' }),
    '### Built-in model providers',
    'These exist without a file. A provider of the same name in a file replaces the built-in one.',
    builtInServers(),
    '### Built-in models',
    'A config without `model_configs` uses the models of `model_configs.yaml` in the home folder. Without that file it can use these.',
    builtInModels(),
  ]);
}

/** Tool configs, MCP providers and execution providers. */
export function toolsPage(): string {
  const tables = new KeyTables();
  const variants = variantsOf(fileSchema(mcpProvider));
  return page('Tools', [
    'A column names a set of tools by its alias. `tool_configs` of the [config](./config) declares the alias, and names the MCP providers whose tools it offers.',
    '## Tool configs',
    'Each entry of `tool_configs` has these keys.',
    ...tables.render(objectsOf('tool_configs'), { level: 3, owner: 'a tool config' }),
    '## MCP providers',
    'MCP providers are declared in a file, `providers: [...]`, never in a config. `--providers` names the file; `mcp_providers.yaml` in the [home folder](./settings#home-folder) is read without being named. One provider is built in: `demo-tools`, with the tools `get_fact`, `add_numbers` and `list_topics`.',
    ...variants.flatMap((variant) => {
      const tag = fieldsOf(fieldsOf(variant.properties).provider_type);
      const names = tag.const === undefined ? (tag.enum as readonly string[]) : [tagOf(variant, 'provider_type')];
      return [
        `### Provider of type ${names.map(code).join(' or ')}`,
        descriptionOf(variant),
        ...tables.render(variant, { level: 4, owner: 'an MCP provider' }),
      ];
    }),
    '## Execution providers',
    'An execution provider runs [programs of rows](/guide/judges-and-validation#run-programs-by-a-command) in languages for which Data Designer has no sandbox. It is declared in a file, `providers: [...]`, never in a config. `--providers` names the file; `execution_providers.yaml` in the [home folder](./settings#home-folder) is read without being named.',
    ...tables.render(fileSchema(executionProvider), { level: 3, owner: 'an execution provider' }),
  ]);
}

/** The seed config and every kind of source. */
export function seedsPage(): string {
  const tables = new KeyTables();
  const config = fieldsOf(objectsOf('seed_config').properties);
  const source = {
    ...fieldsOf(config.source),
    anyOf: undefined,
    type: 'object',
    description: `${String(fieldsOf(config.source).description)} Its \`seed_type\` is one of the sections below.`,
  };
  const schemas = seedKinds.map(({ schema }) => fileSchema(schema));
  return page('Seeds', [
    'A dataset with `seed_config` starts from existing rows. Templates can use the columns of these rows like any other column.',
    '## Keys of `seed_config`',
    ...tables.render({ properties: { ...config, source }, required: ['source'] }, { level: 3, owner: '`seed_config`' }),
    ...variantSections(schemas, 'seed_type'),
  ]);
}

/** Processors, constraints and profilers. */
export function processorsPage(): string {
  const schemas = processorTypes.map(({ schema }) => fileSchema(schema));
  return page('Processors', [
    'Each entry of `processors` in a [config](./config) is a step between the generated rows and the files of the dataset. Its `processor_type` is one of the sections below. Processors run in the order in which they are declared. [Plug-ins](../guide/plugins) add types.',
    ...variantSections(schemas, 'processor_type'),
  ]);
}
