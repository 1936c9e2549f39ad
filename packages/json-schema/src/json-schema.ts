/** A JSON Schema that is an object; `true` and `false` are none. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A part of a schema document with its JSON pointer, each step escaped as in a URI fragment. */
export interface ResolvedSchema {
  readonly pointer: string;
  readonly schema: JsonSchema;
}

/** Keywords that do not restrict values. */
export const ANNOTATIONS: ReadonlySet<string> = new Set(
  '$schema $comment title description default examples deprecated readOnly writeOnly $defs definitions'.split(' '),
);

/** Whether a value is a schema object. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a schema object, else the empty schema. */
export function asSchema(value: unknown): JsonSchema {
  return isSchema(value) ? value : {};
}

/** The types that a schema's `type` lists; none without `type`. */
export function typesOf({ type }: JsonSchema): readonly string[] {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((one) => typeof one === 'string') : [];
}

/** Appends steps to a JSON pointer. */
export function appendToPointer(pointer: string, ...steps: readonly (string | number)[]): string {
  return steps.reduce<string>((path, step) => `${path}/${escapeStep(String(step))}`, pointer);
}

function escapeStep(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Resolves a `$ref` within its document; undefined if the target is missing or in another document. */
export function resolveReference(reference: unknown, root: JsonSchema): ResolvedSchema | undefined {
  if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return undefined;
  let pointer = '';
  let schema: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const step = unescapeStep(part);
    if (!hasMember(schema, step)) return undefined;
    pointer = appendToPointer(pointer, step);
    schema = schema[step];
  }
  return { pointer, schema: asSchema(schema) };
}

function hasMember(value: unknown, key: string): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}

function unescapeStep(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

/** The schema of the members without a name of their own (`additionalProperties`), if it restricts them. */
export function mapValueSchema({ additionalProperties: rest }: JsonSchema): JsonSchema | undefined {
  return isSchema(rest) && Object.keys(rest).length > 0 ? rest : undefined;
}

/**
 * Whether unnamed members are removed from an answer, as in the Python tool: yes, except for a bare object schema and
 * for one that names no member and allows additional ones.
 */
export function prunesMembers(schema: JsonSchema): boolean {
  if (mapValueSchema(schema)) return false;
  if (schema['properties'] !== undefined) return true;
  if (!typesOf(schema).includes('object')) return false;
  const { additionalProperties: rest } = schema;
  if (rest !== undefined) return rest === false;
  return Object.keys(schema).some((key) => key !== 'type' && key !== 'title');
}
