import { isDeepStrictEqual } from 'node:util';
import { type ArrowField, type ArrowType, commonType, encodedField, fieldOrJson } from '@data-designer/core';
import {
  ANNOTATIONS,
  isSchema,
  isStoredAsJson,
  type JsonSchema,
  mapValueSchema,
  prunesMembers,
  resolveReference,
  typesOf,
} from '@data-designer/json-schema';
import { withPlainNumbers } from '../answer/discriminator.ts';
import { decimalPlaces } from '../answer/decimal.ts';

/** Schemas that expand to more parts are stored as JSON: nested references multiply. */
const MOST_PARTS = 1000;

/** Keywords that allow undeclared members or items. */
const OPEN_ENDED = 'patternProperties prefixItems $ref allOf anyOf oneOf if dependentSchemas $dynamicRef'.split(' ');

const SCALARS = new Map<string, ArrowType>([
  ['string', 'utf8'],
  ['integer', 'int64'],
  ['number', 'float64'],
  ['boolean', 'bool'],
]);

/** JSON text, or lists of it, because the schema asks for that. */
interface Encoded {
  readonly encoded: ArrowType;
}

/** The Arrow type of a schema, `null` if it allows only null, undefined if no single type holds its values. */
type Inferred = ArrowType | Encoded | undefined;

/**
 * The Arrow type of a JSON Schema's values; undefined for free-form objects, untyped lists, mixed types and recursion.
 * Every member is nullable. A member without a type is JSON text, and the members beside it keep their types.
 */
export function arrowOfSchema(outputFormat: JsonSchema): ArrowType | undefined {
  const { type, json } = fieldOfSchema('', outputFormat);
  return json === true ? undefined : type;
}

/** The field of a column with a JSON Schema's values: JSON text if the schema asks for it, or has no Arrow type. */
export function fieldOfSchema(name: string, outputFormat: JsonSchema): ArrowField {
  const schema = withPlainNumbers(outputFormat);
  const inference = new Inference(schema);
  const type = inference.infer(schema);
  return member(name, inference.isTooLarge() ? undefined : type);
}

class Inference {
  readonly #root: JsonSchema;
  /** The references being expanded: a repeated one is recursion. */
  readonly #followed = new Set<string>();
  #parts = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
    this.#followed.add('');
  }

  isTooLarge(): boolean {
    return this.#parts > MOST_PARTS;
  }

  infer(schema: unknown): Inferred {
    if (!isSchema(schema) || ++this.#parts > MOST_PARTS) return undefined;
    if (isStoredAsJson(schema)) return { encoded: 'utf8' };
    if (schema['$ref'] !== undefined) return this.#inferReference(schema);
    if (decimalPlaces(schema) !== undefined) return 'float64';
    const types = typesOf(schema);
    if (types.length > 0) return this.#inferTypes(schema, types);
    if (Array.isArray(schema['enum'])) return merged(schema['enum'].map(typeOfValue));
    if (schema['const'] !== undefined) return typeOfValue(schema['const']);
    return this.#inferBranches(schema);
  }

  #inferReference({ $ref: reference, ...beside }: JsonSchema): Inferred {
    const target = resolveReference(reference, this.#root);
    if (!target || this.#followed.has(target.pointer)) return undefined;
    if (Object.keys(beside).some((key) => !ANNOTATIONS.has(key))) return undefined;
    this.#followed.add(target.pointer);
    const type = this.infer(target.schema);
    this.#followed.delete(target.pointer);
    return type;
  }

  #inferTypes(schema: JsonSchema, types: readonly string[]): Inferred {
    return merged(types.map((type) => this.#inferType(schema, type)));
  }

  #inferType(schema: JsonSchema, type: string): Inferred {
    if (type === 'null') return 'null';
    const scalar = SCALARS.get(type);
    if (scalar !== undefined) return scalar;
    if (OPEN_ENDED.some((key) => schema[key] !== undefined)) return undefined;
    return type === 'array' ? this.#inferList(schema) : this.#inferStruct(schema);
  }

  #inferList({ items }: JsonSchema): Inferred {
    const item = this.infer(items);
    if (item === undefined || item === 'null') return undefined;
    return isEncoded(item) ? { encoded: { list: item.encoded } } : { list: item };
  }

  #inferStruct(schema: JsonSchema): Inferred {
    const { properties } = schema;
    if (!isSchema(properties) || mapValueSchema(schema) || !prunesMembers(schema)) return undefined;
    const members = Object.entries(properties).map(([name, part]) => member(name, this.infer(part)));
    // A struct without members cannot be stored in Parquet.
    return members.length === 0 ? undefined : { struct: members };
  }

  #inferBranches(schema: JsonSchema): Inferred {
    const keywords = ['anyOf', 'oneOf', 'allOf'].filter((key) => schema[key] !== undefined);
    const [keyword = ''] = keywords;
    const branches = schema[keyword];
    if (keywords.length !== 1 || !Array.isArray(branches) || branches.length === 0) return undefined;
    if (schema['properties'] !== undefined || schema['if'] !== undefined) return undefined;
    if (keyword === 'allOf' && branches.length > 1) return undefined;
    return merged(branches.map((branch) => this.infer(branch)));
  }
}

function typeOfValue(value: unknown): Inferred {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'utf8';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value !== 'number') return undefined;
  if (!Number.isInteger(value)) return 'float64';
  return Number.isSafeInteger(value) ? 'int64' : undefined;
}

/** The common type; null does not matter, because every field is nullable. */
function merged(types: readonly Inferred[]): Inferred {
  if (types.length === 0) return undefined;
  const encoded = types.filter(isEncoded);
  if (encoded.length > 0) return { encoded: commonEncoding(types, encoded) };
  return types.reduce((a, b) => (isEncoded(a) || isEncoded(b) ? undefined : a && b && commonType(a, b)));
}

/** Lists of JSON texts, if every branch but null is such a list. */
function commonEncoding(types: readonly Inferred[], encoded: readonly Encoded[]): ArrowType {
  const [first] = encoded;
  const isSame = types.every((one) => one === 'null' || (isEncoded(one) && isDeepStrictEqual(one, first)));
  return first && isSame ? first.encoded : 'utf8';
}

function isEncoded(type: Inferred): type is Encoded {
  return typeof type === 'object' && 'encoded' in type;
}

/** A member of a struct: of its type, or JSON text without one. */
function member(name: string, type: Inferred): ArrowField {
  if (isEncoded(type)) return encodedField(name, type.encoded);
  return fieldOrJson(name, type === 'null' ? undefined : type);
}
