import { z } from 'zod';
import { isMapping } from '../spelling.ts';
import { invalid } from './refuse.ts';

/** Where a declaration stands, for messages. */
interface Place {
  readonly path: string;
  readonly source: string;
  /** How deep within the declaration. */
  readonly depth?: number;
}

/** Deeper than any declaration, and what a circle comes to. */
const MAX_DEPTH = 200;

/**
 * A copy that later changes of the original do not reach, and that cannot be changed itself; schemas of zod and of
 * other libraries become JSON Schemas. Throws `config/invalid` for one that has none.
 */
export function copyDeclaration<Value>(value: Value, place: Place): Value {
  return copy(value, place) as Value;
}

function copy(value: unknown, around: Place): unknown {
  const place = { ...around, depth: (around.depth ?? 0) + 1 };
  if (place.depth > MAX_DEPTH) {
    const message = `it is nested more than ${MAX_DEPTH} levels deep.`;
    const remedy = 'A value that holds itself cannot be declared.';
    throw invalid(place.source, { type: 'invalid_value', path: place.path.slice(0, 100), message, remedy });
  }
  const standard = standardOf(value);
  if (standard) return jsonSchemaOf(value, standard, place);
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

/** What a schema library gives under the key `~standard`, as far as it is used here. */
interface StandardProps {
  readonly vendor?: string;
  readonly jsonSchema?: { readonly output: (options: { readonly target: string }) => unknown };
}

/** What the schema of a library says of itself: zod's, and any that follows the Standard Schema. */
function standardOf(value: unknown): StandardProps | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  return '~standard' in value ? (value['~standard'] as StandardProps) : undefined;
}

/** The JSON Schema of what a schema gives: that is what a model shall answer, and what the cell is typed by. */
function jsonSchemaOf(schema: unknown, standard: StandardProps, { path, source }: Place): unknown {
  const refuse = (why: string) => {
    const message = `this ${standard.vendor ?? 'library'} schema has no JSON Schema: ${why}.`;
    const remedy = 'Use only what JSON can hold, without transforms, or give the JSON Schema itself.';
    return invalid(source, { type: 'invalid_value', path, message, remedy });
  };
  try {
    if (isZodSchema(schema)) return copy({ ...z.toJSONSchema(schema) }, { path, source });
    const made = standard.jsonSchema?.output({ target: 'draft-2020-12' });
    if (isMapping(made)) return copy({ ...made }, { path, source });
  } catch (thrown) {
    throw refuse((thrown as Error).message);
  }
  throw refuse('its library does not offer one');
}

function isZodSchema(value: unknown): value is z.ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value;
}
