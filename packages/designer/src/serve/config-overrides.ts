import { z } from 'zod';
import type { WrittenDataset } from '@data-designer/config';
import { refusedCall } from './refused-call.ts';

/** The changes of a config that a call may ask for: the model of an alias, and the values of a category column. */
export interface Overrides {
  readonly models?: Readonly<Record<string, string | undefined>> | undefined;
  readonly values?: Readonly<Record<string, readonly string[] | undefined>> | undefined;
}

/** A category column. */
interface Category {
  readonly name: string;
  readonly values: readonly unknown[];
  readonly weights: readonly number[] | null;
}

/** Longer lists are omitted from the schema, which clients read whole. */
const MAX_LISTED = 100;

/** The tool parameters for the changes that a config allows. */
export function overrideParameters(dataset: WrittenDataset): Readonly<Record<string, z.ZodType>> {
  const models = dataset.model_configs.map(({ alias, model, provider }) => [
    String(alias),
    z
      .string()
      .min(1)
      .optional()
      .describe(`A model of the provider ${String(provider)}; default: ${String(model)}.`),
  ]);
  const values = categoriesIn(dataset).map((category) => [category.name, z.array(valueOf(category)).min(1).optional()]);
  return {
    ...(models.length > 0 ? { models: part(models, 'Models that replace those of the config, by alias.') } : {}),
    ...(values.length > 0
      ? { values: part(values, 'Values to draw from, by column, out of the values in the config; default: all.') }
      : {}),
  };
}

function part(entries: readonly (readonly unknown[])[], description: string): z.ZodType {
  return z
    .strictObject(Object.fromEntries(entries) as z.ZodRawShape)
    .optional()
    .describe(description);
}

function valueOf({ values }: Category): z.ZodType {
  const texts = [...new Set(values.map(String))];
  return texts.length > MAX_LISTED ? z.string().describe(`For example ${texts[0]}.`) : z.literal(texts);
}

/** Applies the changes of a call; throws `serve/refused` for a value that the config does not have. */
export function withOverrides(dataset: WrittenDataset, { models = {}, values = {} }: Overrides): WrittenDataset {
  const categories = new Map(categoriesIn(dataset).map((category) => [category.name, category]));
  return {
    ...dataset,
    model_configs: dataset.model_configs.map((config) => {
      const model = models[String(config.alias)];
      return model === undefined ? config : { ...config, model };
    }),
    columns: dataset.columns.map((column) => {
      const wanted = values[String(column.name)];
      const category = categories.get(String(column.name));
      return wanted && category ? { ...column, params: narrowed(column.params as object, category, wanted) } : column;
    }),
  };
}

/** The parameters of a category with some of its values, and their weights. */
function narrowed(params: object, { name, values, weights }: Category, wanted: readonly string[]): object {
  const texts = values.map(String);
  const missing = wanted.find((text) => !texts.includes(text));
  if (missing !== undefined) throw refusedCall(`The column '${name}' has no value '${missing}'.`);
  const only = <Item>(list: readonly Item[]) => list.filter((_, index) => wanted.includes(texts[index] ?? ''));
  return { ...params, values: only(values), weights: weights && only(weights) };
}

function categoriesIn({ columns }: WrittenDataset): readonly Category[] {
  const sampled = columns.filter(({ sampler_type }) => sampler_type === 'category');
  return sampled.map(({ name, params }) => ({ ...(params as Category), name: String(name) }));
}
