/** A JSON Schema that is an object; `true` and `false` are none. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A part of a schema document, and where it stands: a JSON pointer, each step escaped as in a URI fragment. */
export interface ResolvedSchema {
  readonly pointer: string;
  readonly schema: JsonSchema;
}

/** Keywords that say nothing about which values are allowed. */
export const ANNOTATIONS: ReadonlySet<string> = new Set(
  '$schema $comment title description default examples deprecated readOnly writeOnly $defs definitions'.split(' '),
);

/** Whether a value is a schema with keywords. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as a schema; anything that has no keywords counts as the empty one. */
export function asSchema(value: unknown): JsonSchema {
  return isSchema(value) ? value : {};
}

/** The types that a schema names, none if it names none. */
export function typesOf({ type }: JsonSchema): readonly string[] {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((one) => typeof one === 'string') : [];
}

/** A JSON pointer one or more steps on. */
export function stepped(pointer: string, ...steps: readonly (string | number)[]): string {
  return steps.reduce<string>((path, step) => `${path}/${escapeStep(String(step))}`, pointer);
}

function escapeStep(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Where a reference within a document leads, undefined if it leads nowhere or out of it. */
export function follow(reference: unknown, root: JsonSchema): ResolvedSchema | undefined {
  if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return undefined;
  let pointer = '';
  let schema: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const step = unescapeStep(part);
    if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, step)) return undefined;
    pointer = stepped(pointer, step);
    schema = (schema as Record<string, unknown>)[step];
  }
  return { pointer, schema: asSchema(schema) };
}

function unescapeStep(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

/** The schema of members that an object schema does not name, when it declares one: a map from any name to such values. */
export function mapOf({ additionalProperties: rest }: JsonSchema): JsonSchema | undefined {
  return isSchema(rest) && Object.keys(rest).length > 0 ? rest : undefined;
}

/**
 * Whether members that an object schema does not name are taken out of an answer (engine.md 1.6, rule 1): always, but
 * for a bare object, and for one that names no member and says that it may have any.
 */
export function prunesMembers(schema: JsonSchema): boolean {
  if (mapOf(schema)) return false;
  if (schema['properties'] !== undefined) return true;
  if (!typesOf(schema).includes('object')) return false;
  const { additionalProperties: rest } = schema;
  if (rest !== undefined) return rest === false;
  return Object.keys(schema).some((key) => key !== 'type' && key !== 'title');
}
