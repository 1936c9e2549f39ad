import { z } from 'zod';
import { MAX_VALUE_DEPTH, messageOf } from '@data-designer/core';
import { jsonSchemaOf, standardOf, type StandardProps } from '@data-designer/json-schema';
import { copyTextPart } from '../source-text.ts';
import { isMapping } from '../spelling.ts';
import { invalid } from './invalid-config.ts';

/** The path of a declaration, for messages. */
interface DeclarationPath {
  readonly path: string;
  readonly source: string;
  /** The depth within the declaration. */
  readonly depth?: number;
}

/** A frozen deep copy with schemas of libraries as JSON Schemas; throws `config/invalid` for one that has none. */
export function copyDeclaration<Value>(value: Value, at: DeclarationPath): Value {
  return copy(value, at) as Value;
}

function copy(value: unknown, above: DeclarationPath): unknown {
  const at = { ...above, depth: (above.depth ?? 0) + 1 };
  if (at.depth > MAX_VALUE_DEPTH) {
    const message = `the value is nested more than ${MAX_VALUE_DEPTH} levels deep.`;
    const remedy = 'Use a flatter value that does not contain itself.';
    throw invalid(at.source, { type: 'invalid_value', path: at.path.slice(0, 100), message, remedy });
  }
  const standard = standardOf(value);
  if (standard) return writtenSchemaOf(value, standard, at);
  if (Array.isArray(value)) {
    return Object.freeze(value.map((item: unknown, index) => copy(item, { ...at, path: `${at.path}[${index}]` })));
  }
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, copy(part, { ...at, path: `${at.path}.${key}` })]);
  return Object.freeze(copyTextPart(value, Object.fromEntries(entries)));
}

/** The JSON Schema of a schema's output, which is the answer of a model and the type of the cell. */
function writtenSchemaOf(schema: unknown, standard: StandardProps, { path, source }: DeclarationPath): unknown {
  const refuse = (why: string) => {
    const message = `this ${standard.vendor ?? 'library'} schema cannot be converted to JSON Schema: ${why}.`;
    const remedy = 'Use only types that JSON has, without transforms, or write the JSON Schema yourself.';
    return invalid(source, { type: 'invalid_value', path, message, remedy });
  };
  if (hasRefinement(schema)) {
    const message = 'this zod schema has a refine(), which is code: no answer would be checked by it.';
    const remedy = "Leave it out, and check the answers with 'until' of attempts, or with a validation column.";
    throw invalid(source, { type: 'invalid_value', path, message, remedy });
  }
  try {
    // Earlier versions of zod 4 have a function for it.
    const isOlderZod = standard.jsonSchema === undefined && isZodSchema(schema);
    return copy(isOlderZod ? { ...z.toJSONSchema(schema) } : jsonSchemaOf(standard, 'output'), { path, source });
  } catch (thrown) {
    throw refuse(messageOf(thrown));
  }
}

/** Whether a schema of zod, or a part of it, has a check of the caller's own. */
function hasRefinement(schema: unknown, seen = new Set<unknown>()): boolean {
  if (!isZodSchema(schema) || seen.has(schema)) return false;
  seen.add(schema);
  const { checks = [], ...definition } = schema._zod.def;
  if (checks.some((check) => check._zod.def.check === 'custom')) return true;
  const { shape = {}, getter } = definition as { readonly shape?: object; readonly getter?: () => unknown };
  const parts = [...Object.values(definition), ...Object.values(shape), getter?.()].flat();
  return parts.some((part) => hasRefinement(part, seen));
}

function isZodSchema(value: unknown): value is z.ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value;
}
