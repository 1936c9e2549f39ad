import { z } from 'zod';
import { isMapping } from '../spelling.ts';
import { invalid } from './refuse.ts';

/** Where a declaration stands, for messages. */
interface Place {
  readonly path: string;
  readonly source: string;
}

/**
 * A copy that later changes of the original do not reach, and that cannot be changed itself; zod schemas in it become
 * JSON Schemas. Throws `config/invalid` for a zod schema that has none.
 */
export function copyDeclaration<Value>(value: Value, place: Place): Value {
  return copy(value, place) as Value;
}

function copy(value: unknown, place: Place): unknown {
  if (isZodSchema(value)) return jsonSchemaOf(value, place);
  if (Array.isArray(value)) {
    return Object.freeze(
      value.map((item: unknown, index) => copy(item, { ...place, path: `${place.path}[${index}]` })),
    );
  }
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => [
    key,
    copy(part, { ...place, path: `${place.path}.${key}` }),
  ]);
  return Object.freeze(Object.fromEntries(entries));
}

function isZodSchema(value: unknown): value is z.ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

/** The JSON Schema of what a zod schema gives: that is what a model shall answer, and what the cell is typed by. */
function jsonSchemaOf(schema: z.ZodType, { path, source }: Place): unknown {
  try {
    return copy({ ...z.toJSONSchema(schema) }, { path, source });
  } catch (thrown) {
    const message = `this zod schema has no JSON Schema: ${(thrown as Error).message}.`;
    const remedy = 'Use only what JSON can hold, without transforms.';
    throw invalid(source, { type: 'invalid_value', path, message, remedy });
  }
}
