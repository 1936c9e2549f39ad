import { type Fields, fieldsOf, isFields, itemsOf, stringifyJson, stringOf } from '@data-designer/core';
import { configJsonSchema } from '../config-json-schema.ts';
import type { RegisteredColumn } from '../define-column.ts';
import { partOf } from '../spelling.ts';
import type { ModelDeclaration } from './declarations.ts';

/** The tables that `display` prints. */
export type InfoTopic = 'samplers' | 'model_configs';

/** Prints the samplers and the models of a builder as plain-text tables. */
export class ConfigInfo {
  readonly #types: readonly RegisteredColumn[];
  readonly #models: () => readonly ModelDeclaration[];

  constructor(types: readonly RegisteredColumn[], models: () => readonly ModelDeclaration[]) {
    this.#types = types;
    this.#models = models;
  }

  /** The samplers with their parameters (all or one), or the models of the builder; one line each. */
  display(topic: InfoTopic, { samplerType }: { readonly samplerType?: string } = {}): string {
    if (topic === 'model_configs') return table(this.#models().map(modelRow));
    const samplers = samplersIn(configJsonSchema(this.#types));
    const asked = samplers.filter(({ name }) => samplerType === undefined || name === samplerType);
    return asked.map(({ name, rows }) => `${name}\n${table(rows)}`).join('\n\n');
  }
}

function modelRow({ alias, model, provider, inferenceParameters }: ModelDeclaration): string[] {
  const parameters = Object.entries(inferenceParameters ?? {}).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return [alias, model, provider, parameters.map(([key, value]) => `${key}=${shown(value)}`).join(', ')];
}

function shown(value: unknown): string {
  const isDistribution = typeof value === 'object' && value !== null && 'distributionType' in value;
  return isDistribution ? 'dist' : stringifyJson(value);
}

/** The parameters of each sampler, from the branches of the JSON Schema. */
function samplersIn(schema: Fields): { name: string; rows: string[][] }[] {
  return Object.values(fieldsOf(schema.$defs))
    .flatMap((definition) => itemsOf(fieldsOf(definition).allOf))
    .flatMap((branch) => {
      const { if: condition, then } = fieldsOf(branch);
      const name = stringOf(part(condition, 'properties', 'sampler_type', 'const'));
      const params = part(then, 'properties', 'params');
      return name !== null && isFields(params) ? [{ name, rows: parameterRows(params) }] : [];
    });
}

function part(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(partOf, value);
}

function parameterRows({ properties, required }: Fields): string[][] {
  return Object.entries(fieldsOf(properties))
    .filter(([key]) => key !== 'sampler_type')
    .map(([key, schema]) => {
      const { default: standard = null, description } = fieldsOf(schema);
      const need = itemsOf(required).includes(key) ? 'required' : `default ${JSON.stringify(standard)}`;
      return [`  ${key}`, typeText(schema), need, stringOf(description) ?? ''];
    });
}

function typeText(schema: unknown): string {
  const { type, enum: values, anyOf } = fieldsOf(schema);
  if (Array.isArray(values)) return values.length > 8 ? 'name' : values.map(String).join(' | ');
  if (typeof type === 'string') return type;
  return [...new Set(itemsOf(anyOf).map(typeText))].join(' | ') || 'any';
}

/** Rows with every column as wide as its widest cell. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
