import { stringifyJson } from '@data-designer/core';
import { configJsonSchema } from '../config-json-schema.ts';
import type { RegisteredColumn } from '../define-column.ts';
import type { ModelDeclaration } from './declarations.ts';

/** What can be shown. */
export type InfoTopic = 'samplers' | 'model_configs';

/** What a builder can tell of itself and of what may be declared, as tables of plain text. */
export class ConfigInfo {
  readonly #types: readonly RegisteredColumn[];
  readonly #models: () => readonly ModelDeclaration[];

  constructor(types: readonly RegisteredColumn[], models: () => readonly ModelDeclaration[]) {
    this.#types = types;
    this.#models = models;
  }

  /** The samplers with their parameters, all or one, or the models of the builder; one line for each. */
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

/** A distribution has no short form. */
function shown(value: unknown): string {
  const isDistribution = typeof value === 'object' && value !== null && 'distributionType' in value;
  return isDistribution ? 'dist' : stringifyJson(value);
}

interface Shape {
  readonly const?: unknown;
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
}

interface Branch {
  readonly if: { readonly properties: Readonly<Record<string, Shape>> };
  readonly then: Shape;
}

/** The parameters of each sampler, out of the branches of the schema that editors use. */
function samplersIn(schema: Record<string, unknown>): { name: string; rows: string[][] }[] {
  const defs = schema.$defs as Readonly<Record<string, { readonly allOf?: readonly Branch[] }>>;
  return Object.values(defs)
    .flatMap(({ allOf = [] }) => allOf)
    .flatMap((branch) => {
      const name = branch.if.properties.sampler_type?.const;
      const params = branch.then.properties?.params;
      return typeof name === 'string' && params ? [{ name, rows: parameterRows(params) }] : [];
    });
}

function parameterRows({ properties = {}, required = [] }: Shape): string[][] {
  return Object.entries(properties)
    .filter(([key]) => key !== 'sampler_type')
    .map(([key, shape]) => {
      const standing = required.includes(key) ? 'required' : `default ${JSON.stringify(shape.default ?? null)}`;
      return [`  ${key}`, kindOf(shape), standing, shape.description ?? ''];
    });
}

function kindOf({ type, enum: values, anyOf = [] }: Shape): string {
  if (values) return values.length > 8 ? 'name' : values.map(String).join(' | ');
  if (typeof type === 'string') return type;
  return [...new Set(anyOf.map(kindOf))].join(' | ') || 'any';
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
