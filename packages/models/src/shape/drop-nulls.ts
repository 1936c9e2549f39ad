import { type CellValue, Float } from '@data-designer/core';
import { allowsNull } from './strict-schema.ts';

type Schema = Readonly<Record<string, unknown>>;
type Members = { readonly [key: string]: CellValue };

/**
 * Takes out the nulls that stand where a property may be left out but not be null, as strict endpoints make a model
 * write them; the rest is shared. `root` is the schema before it was made strict.
 */
export function dropNulls(value: CellValue, root: Schema, schema: Schema = root): CellValue {
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  if (Array.isArray(value)) return dropInArray(value as readonly CellValue[], root, schema);
  return dropInObject(value as Members, root, schema);
}

function dropInArray(values: readonly CellValue[], root: Schema, schema: Schema): CellValue {
  const items = firstOf(meanings(schema, root).map((meaning) => meaning.items));
  return items ? values.map((value) => dropNulls(value, root, items)) : values;
}

function dropInObject(record: Members, root: Schema, schema: Schema): CellValue {
  const objects = meanings(schema, root).filter(({ properties }) => asSchema(properties));
  const kept = Object.entries(record).flatMap(([name, value]): [string, CellValue][] => {
    const having = objects.filter((one) => Object.hasOwn(one.properties as Schema, name));
    if (having.length === 0) return [[name, value]];
    if (value === null) return having.every((one) => mustNotBeNull(one, name)) ? [] : [[name, value]];
    const first = firstOf(having.map((one) => (one.properties as Schema)[name]));
    return [[name, first ? dropNulls(value, root, first) : value]];
  });
  return Object.fromEntries(kept);
}

function mustNotBeNull({ properties, required }: Schema, name: string): boolean {
  const part = asSchema((properties as Schema)[name]);
  const isRequired = Array.isArray(required) && required.includes(name);
  return !isRequired && part !== undefined && !allowsNull(part);
}

/** What a schema may stand for: itself, what it refers to, and each of its branches. */
function meanings(schema: Schema, root: Schema, depth = 0): Schema[] {
  if (depth > MOST_STEPS) return [];
  const target = typeof schema.$ref === 'string' ? resolve(schema.$ref, root) : undefined;
  const branches = Array.isArray(schema.anyOf) ? (schema.anyOf as readonly unknown[]) : [];
  const further = [target, ...branches].map(asSchema).filter((part) => part !== undefined);
  return [schema, ...further.flatMap((part) => meanings(part, root, depth + 1))];
}

/** References may go round in circles. */
const MOST_STEPS = 8;

function resolve(reference: string, root: Schema): unknown {
  const steps = reference.slice(1).split('/').slice(1);
  return steps.reduce<unknown>((at, step) => {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as Schema)[name] : undefined;
  }, root);
}

function firstOf(parts: readonly unknown[]): Schema | undefined {
  return parts.map(asSchema).find((part) => part !== undefined);
}

function asSchema(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : undefined;
}
