import { itemsOf, type Random } from '@data-designer/core';
import { pick } from '../draws.ts';
import { drawNumber } from './draw-number.ts';
import { drawString } from './draw-string.ts';
import { orderPlannedCalls } from './ordered-calls.ts';
import { asSchema, resolveSchema, type Schema } from './resolve-schema.ts';
import type { ValueSite } from './value-site.ts';

const DEEPEST_EXTRAS = 3;
const DEEPEST = 24;
/** Keeps a schema from asking for more items than anyone would. */
const MOST_ITEMS = 1_000;
const MOST_TRIES = 50;
/** How often a property that is not required is drawn. */
const SHARE_OF_EXTRAS = 0.6;
/** The same in the arguments of a tool, of which a model uses few. */
const SHARE_OF_EXTRA_ARGUMENTS = 0.25;
/** Further draws for an array of strings, in which one stands twice. */
const MOST_REDRAWS = 10;

/** Draws a value that is valid for a JSON Schema of the common keywords; anything goes where the schema is empty. */
export function drawValue(written: Schema, site: ValueSite): unknown {
  if (site.depth > DEEPEST) return null;
  const schema = resolveSchema(written, site);
  if ('const' in schema) return schema['const'];
  const values = schema['enum'];
  if (Array.isArray(values) && values.length > 0) return pickNamed(values, site);
  const type = typeOf(schema, site.random);
  if (type === 'object') return drawObject(schema, site);
  if (type === 'array') return drawArray(schema, site);
  if (type === 'number' || type === 'integer') return drawNumber(schema, type, site.random);
  if (type === 'boolean') return site.random.float() < 0.5;
  if (type === 'null') return null;
  return drawString(schema, site);
}

/** A value of an enum: one that stands in the question if any does, else any. */
function pickNamed(values: readonly unknown[], { prompt, random }: ValueSite): unknown {
  const text = prompt.text.toLowerCase();
  const named = values.filter((value) => typeof value === 'string' && occursIn(text, value.toLowerCase()));
  return pick(named.length > 0 && named.length < values.length ? named : values, random);
}

function occursIn(text: string, value: string): boolean {
  return value.length > 2 && text.includes(value);
}

function typeOf(schema: Schema, random: Random): unknown {
  const { type } = schema;
  if (Array.isArray(type)) return pick(type, random);
  if (type !== undefined) return type;
  if (schema['properties'] !== undefined || schema['required'] !== undefined) return 'object';
  if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return 'array';
  const isNumeric = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].some((bound) => bound in schema);
  return isNumeric ? 'number' : 'string';
}

function drawObject(schema: Schema, site: ValueSite): Record<string, unknown> {
  const properties = asSchema(schema['properties']);
  const required = new Set(itemsOf(schema['required']).filter((name) => typeof name === 'string'));
  const fewest = Number(schema['minProperties'] ?? 0);
  const drawn: Record<string, unknown> = {};
  const place = (name: string) => {
    const schemaOfName = asSchema(properties[name] ?? schema['additionalProperties']);
    drawn[name] = drawValue(schemaOfName, { ...site, name, depth: site.depth + 1 });
  };
  const share = site.about === undefined ? SHARE_OF_EXTRAS : SHARE_OF_EXTRA_ARGUMENTS;
  for (const name of Object.keys(properties)) {
    const isExtra = site.depth < DEEPEST_EXTRAS && properties[name] !== false && site.random.float() < share;
    if (required.has(name) || isExtra) place(name);
  }
  for (const name of [...required, ...Object.keys(properties)]) {
    const isMissing = !Object.hasOwn(drawn, name);
    if (isMissing && (required.has(name) || Object.keys(drawn).length < fewest)) place(name);
  }
  for (const name of namesOfMap(schema, site)) if (!Object.hasOwn(properties, name)) place(name);
  return orderPlannedCalls(drawn, properties);
}

/** Names for the entries of an object that is a map from any name to a schema. */
function namesOfMap(schema: Schema, { prompt, random, depth }: ValueSite): readonly string[] {
  const isMap = typeof schema['additionalProperties'] === 'object' && schema['properties'] === undefined;
  if (!isMap) return [];
  const fewest = Number(schema['minProperties'] ?? 0);
  const most = Number(schema['maxProperties'] ?? Math.max(fewest, 3));
  const wanted = depth < DEEPEST_EXTRAS ? Math.max(fewest, Math.min(most, 1 + random.below(3))) : fewest;
  return Array.from(
    { length: Math.min(wanted, MOST_ITEMS) },
    (_, index) => prompt.words[index] ?? `entry ${index + 1}`,
  );
}

function drawArray(schema: Schema, site: ValueSite): unknown[] {
  const fixed = itemsOf(schema['prefixItems']);
  const isDeep = site.depth >= DEEPEST_EXTRAS;
  const fewest = Number(schema['minItems'] ?? (isDeep ? 0 : Math.max(fixed.length, 1)));
  const most = Number(schema['maxItems'] ?? Math.max(fewest, 3));
  const room = isDeep ? 0 : Math.max(0, most - fewest);
  const atEnd = schema['items'] === false ? fixed.length : Number.POSITIVE_INFINITY;
  const wanted = Math.min(fewest + site.random.below(room + 1), most, atEnd, MOST_ITEMS);
  const isSet = schema['uniqueItems'] === true;
  const items: unknown[] = [];
  const seen = new Set<string>();
  for (let tries = 0; items.length < wanted && tries < wanted + MOST_TRIES; tries++) {
    const item = drawValue(asSchema(fixed[items.length] ?? schema['items']), { ...site, depth: site.depth + 1 });
    const text = JSON.stringify(item);
    if (seen.has(text) && (isSet || (typeof item === 'string' && tries < wanted + MOST_REDRAWS))) continue;
    seen.add(text);
    items.push(item);
  }
  return items;
}
