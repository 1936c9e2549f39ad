import { fieldsOf } from '@data-designer/core';
import { isSchema, type JsonSchema, typesOf } from '@data-designer/json-schema';
import { headerText } from './handshake.ts';
import { unusable } from './tool-listing.ts';
import type { JsonObject, ListedTools } from './tool-session.ts';

/** The keyword of a parameter whose value each call repeats as a header (MCP 2026-07-28, SEP-2243). */
const KEYWORD = 'x-mcp-header';
/** A name of an HTTP header (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PRIMITIVE: ReadonlySet<string> = new Set(['string', 'integer', 'boolean']);
/** Keywords whose values are maps from names to schemas. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords whose values are data. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'example']);

/** A parameter that calls repeat as a header: the path of its value in the arguments. */
interface ParameterHeader {
  readonly header: string;
  readonly path: readonly string[];
}

/** The parameters that calls repeat as headers, by tool. */
export type ParameterHeaders = ReadonlyMap<string, readonly ParameterHeader[]>;

/** The tools of a server with those marked as unusable whose headers break the rules of the protocol, and the headers of the others. */
export function readParameterHeaders(listed: ListedTools): {
  readonly tools: ListedTools;
  readonly headers: ParameterHeaders;
} {
  const headers = new Map<string, readonly ParameterHeader[]>();
  const schemas = listed.schemas.map((schema) => {
    const { name, parameters } = schema.function;
    const found = parameterHeadersOf(parameters);
    if (typeof found === 'string') return unusable({ name, reason: found });
    if (found.length > 0) headers.set(name, found);
    return schema;
  });
  return { tools: { ...listed, schemas }, headers };
}

/** The headers of a call; a value that is absent or null has none. */
export function headersOfCall(
  headers: ParameterHeaders,
  { name, arguments: args }: JsonObject,
): Readonly<Record<string, string>> {
  const known = typeof name === 'string' ? headers.get(name) : undefined;
  const told = known?.flatMap(({ header, path }) => {
    const value = path.reduce<unknown>(
      (within, key) => (Object.hasOwn(fieldsOf(within), key) ? fieldsOf(within)[key] : undefined),
      args,
    );
    const isPrimitive = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return isPrimitive ? [[header, headerText(String(value))] as const] : [];
  });
  return Object.fromEntries(told ?? []);
}

/** The headers that a schema declares, or why they break the rules of the protocol. */
function parameterHeadersOf(schema: unknown): readonly ParameterHeader[] | string {
  const found: ParameterHeader[] = [];
  const names = new Set<string>();
  const fault = faultIn(schema, [], (name, path) => {
    const isNew = !names.has(name.toLowerCase());
    names.add(name.toLowerCase());
    found.push({ header: `Mcp-Param-${name}`, path });
    return isNew;
  });
  return fault === undefined ? found : `'${KEYWORD}' in its schema ${fault}`;
}

/** What is wrong with the headers in a schema. `path` is undefined where its value has no fixed place in the arguments. */
function faultIn(
  schema: unknown,
  path: readonly string[] | undefined,
  add: (name: string, path: readonly string[]) => boolean,
): string | undefined {
  if (Array.isArray(schema)) return firstFault(schema, (part) => faultIn(part, undefined, add));
  if (!isSchema(schema)) return undefined;
  const own = Object.hasOwn(schema, KEYWORD) ? faultOf(schema, path, add) : undefined;
  if (own !== undefined) return own;
  return firstFault(Object.entries(schema), ([keyword, value]) => {
    if (DATA.has(keyword) || keyword === KEYWORD) return undefined;
    if (!MAPS.has(keyword)) return faultIn(value, undefined, add);
    const isFixed = keyword === 'properties' && path !== undefined;
    return firstFault(Object.entries(fieldsOf(value)), ([key, part]) =>
      faultIn(part, isFixed ? [...path, key] : undefined, add),
    );
  });
}

function faultOf(
  schema: JsonSchema,
  path: readonly string[] | undefined,
  add: (name: string, path: readonly string[]) => boolean,
): string | undefined {
  const name = fieldsOf(schema)[KEYWORD];
  if (typeof name !== 'string' || !TOKEN.test(name)) return 'is not the name of a header';
  if (path === undefined || path.length === 0) return 'stands at a parameter without a fixed place in the arguments';
  const types = typesOf(schema).filter((type) => type !== 'null');
  if (types.length !== 1 || !types.every((type) => PRIMITIVE.has(type)))
    return 'stands at a parameter that is no string, integer or boolean';
  return add(name, path) ? undefined : `gives two parameters the header '${name}'`;
}

function firstFault<Part>(parts: readonly Part[], faultOfPart: (part: Part) => string | undefined): string | undefined {
  for (const part of parts) {
    const fault = faultOfPart(part);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
