import { isFields, itemsOf, type Random } from '@data-designer/core';
import { pick } from '../draws.ts';
import { asSchema, resolveSchema, type Schema } from './resolve-schema.ts';

/**
 * Turns a value that is valid for a schema into one that is not: a required property is left out or has the wrong
 * type, or the whole is of another type. A schema that allows everything cannot be broken.
 */
export function breakValue(value: unknown, written: Schema, random: Random): unknown {
  if (isUnion(written)) return [value];
  const schema = resolveSchema(written, { root: written, random, depth: 0 });
  if (!isFields(value)) return { broken: value };
  const required = itemsOf(schema['required']).filter((name) => typeof name === 'string');
  if (required.length === 0) return [value];
  const name = pick(required, random);
  const { [name]: dropped, ...others } = value;
  const properties = asSchema(schema['properties']);
  const canMistype = typeof asSchema(properties[name])['type'] === 'string' && random.float() < 0.5;
  return canMistype ? { ...others, [name]: otherType(dropped) } : others;
}

/** Whether several branches are allowed: what breaks one may satisfy another, so only another type is sure. */
function isUnion(schema: Schema): boolean {
  return schema['anyOf'] !== undefined || schema['oneOf'] !== undefined;
}

/** A value whose type no leniency turns back: an object for plain values, text for objects and arrays. */
function otherType(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? 'not what was asked for' : { unexpected: true };
}
