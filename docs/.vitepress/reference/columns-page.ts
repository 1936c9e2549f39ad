import { columnTypes } from '@data-designer/columns';
import { fileSchema } from '@data-designer/config';
import { type Fields, fieldsOf } from '@data-designer/core';
import { anchorOf } from '../anchor.ts';
import { code, page } from './markdown.ts';
import { descriptionOf, KeyTables } from './schema-text.ts';

/** The built-in column types, as the JSON Schemas of their declarations. */
const types = columnTypes.map(({ type, schema }) => ({ type, schema: fileSchema(schema) }));

/** The keys that most of some types share; a type lists one anew if its own differs. */
function sharedKeys(names: readonly string[]): Fields {
  const chosen = types.filter(({ type }) => names.includes(type));
  const counts = new Map<string, { key: string; part: unknown; count: number }>();
  for (const { schema } of chosen) {
    for (const [key, part] of Object.entries(fieldsOf(schema.properties))) {
      const id = key === 'column_type' ? key : JSON.stringify([key, part]);
      const known = counts.get(id) ?? { key, part, count: 0 };
      counts.set(id, { ...known, count: known.count + 1 });
    }
  }
  const shared = [...counts.values()].filter(({ count }) => count > chosen.length / 2);
  return Object.fromEntries(shared.map(({ key, part }) => [key, key === 'column_type' ? typeOfColumn() : part]));
}

function typeOfColumn(): Fields {
  return { type: 'string', description: 'The type of the column: one of the sections below.' };
}

/** The keys of a type that are not among shared ones. */
function ownKeys(schema: Fields, ...shared: readonly Fields[]): Fields {
  const own = Object.entries(fieldsOf(schema.properties)).filter(
    ([key, part]) =>
      key !== 'column_type' && !shared.some((keys) => JSON.stringify(keys[key]) === JSON.stringify(part)),
  );
  return { properties: Object.fromEntries(own), required: schema.required };
}

/** The column types with their keys. */
export function columnsPage(): string {
  const tables = new KeyTables();
  const common = sharedKeys(types.map(({ type }) => type));
  const llm = types.map(({ type }) => type).filter((type) => type.startsWith('llm-'));
  const asked = Object.fromEntries(Object.entries(sharedKeys(llm)).filter(([key]) => !(key in common)));
  const required = ['name', 'column_type', 'prompt', 'model_alias'];
  return page('Column types', [
    'A column is one entry of `columns` in a [config](./config). Its `column_type` decides which further keys it has. [Plug-ins](../guide/plugins) add types.',
    '## Keys of every column',
    ...tables.render({ properties: common, required }, { level: 3, owner: 'a column' }),
    '## Keys of LLM columns',
    `The types ${llm.map((type) => `[${code(type)}](#${anchorOf(type)})`).join(', ')} ask a language model, and share these keys.`,
    ...tables.render({ properties: asked, required }, { level: 3, owner: 'an LLM column' }),
    ...types.flatMap((one) => columnSection(one, { tables, common, asked })),
  ]);
}

interface Shared {
  readonly tables: KeyTables;
  /** The keys of every column. */
  readonly common: Fields;
  /** The keys of LLM columns. */
  readonly asked: Fields;
}

function columnSection({ type, schema }: (typeof types)[number], { tables, common, asked }: Shared): string[] {
  const isAsked = type.startsWith('llm-');
  const own = ownKeys(tagged(schema), common, isAsked ? asked : {});
  const missing = Object.keys(common).filter((key) => !(key in fieldsOf(schema.properties)));
  return [
    `## ${code(type)}`,
    descriptionOf(schema),
    isAsked ? 'It also has the [keys of LLM columns](#keys-of-llm-columns).' : '',
    missing.length === 0 ? '' : `It does not have ${missing.map(code).join(', ')}.`,
    ...(Object.keys(fieldsOf(own.properties)).length === 0 ? [] : tables.render(own, { level: 3, owner: code(type) })),
  ];
}

/** A schema whose tagged keys (`if` and `then` in the JSON Schema of editors) are unions; samplers have their own page. */
function tagged(schema: Fields): Fields {
  const properties = fieldsOf(schema.properties);
  if (!('sampler_type' in properties)) return schema;
  const parameters = (key: string, type: string) => ({
    ...fieldsOf(properties[key]),
    anyOf: undefined,
    additionalProperties: undefined,
    type,
  });
  const sampler: Fields = { ...fieldsOf(properties.sampler_type), enum: undefined, type: 'string' };
  return {
    ...schema,
    properties: {
      ...properties,
      sampler_type: { ...sampler, description: `${String(sampler.description)} See [Samplers](./samplers).` },
      params: parameters('params', 'object'),
      conditional_params: parameters('conditional_params', 'object of objects'),
    },
  };
}
