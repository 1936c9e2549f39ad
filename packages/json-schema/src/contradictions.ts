import { asSchema, isSchema, type JsonSchema, prunesMembers, resolveReference, typesOf } from './json-schema.ts';

/** A part of a schema that no value can match. */
export interface Contradiction {
  /** The keys that lead to the wrong keyword. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly remedy: string;
  /** Whether every value of the whole schema has that part, so that nothing matches the schema. */
  readonly isFatal: boolean;
}

interface Place {
  readonly path: readonly (string | number)[];
  readonly root: JsonSchema;
  readonly isFatal: boolean;
  /** Whether other keywords may declare members of the same object. */
  readonly isShared: boolean;
  /** The schemas on the way, which a reference may name again. */
  readonly above: readonly unknown[];
}

/** Lower and upper bounds, and the types of the values that have them. */
const BOUNDS = [
  ['minimum', 'maximum', ['number', 'integer']],
  ['minLength', 'maxLength', ['string']],
  ['minItems', 'maxItems', ['array']],
  ['minProperties', 'maxProperties', ['object']],
] as const;

const MIXERS = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas'] as const;

/** Finds keywords of a valid schema that contradict each other; branches of which another may match are left out. */
export function contradictions(schema: JsonSchema): readonly Contradiction[] {
  return contradictionsAt(schema, { path: [], root: schema, isFatal: true, isShared: false, above: [] });
}

function contradictionsAt(schema: JsonSchema, place: Place): Contradiction[] {
  if (place.above.includes(schema)) return [];
  return [
    ...ofBounds(schema, place),
    ...ofChoices(schema, place),
    ...ofMembers(schema, place),
    ...below(schema, place),
  ];
}

function isOnly(schema: JsonSchema, allowed: readonly string[]): boolean {
  const types = typesOf(schema);
  return types.length > 0 && types.every((type) => allowed.includes(type));
}

function mayBe(schema: JsonSchema, allowed: readonly string[]): boolean {
  const types = typesOf(schema);
  return types.length === 0 || types.some((type) => allowed.includes(type));
}

function ofBounds(schema: JsonSchema, { path, isFatal }: Place): Contradiction[] {
  return BOUNDS.flatMap(([low, high, types]): Contradiction[] => {
    const [least, most] = [schema[low], schema[high]];
    if (typeof least !== 'number' || typeof most !== 'number' || least <= most || !mayBe(schema, types)) return [];
    const message = `'${low}' is ${least}, and '${high}' is ${most}`;
    const remedy = `Make '${low}' at most as large as '${high}'.`;
    return [{ path: [...path, low], message, remedy, isFatal: isFatal && isOnly(schema, types) }];
  });
}

function ofChoices(schema: JsonSchema, { path, isFatal }: Place): Contradiction[] {
  const { enum: choices, const: only } = schema;
  const hasConst = Object.hasOwn(schema, 'const');
  if (Array.isArray(choices) && choices.length === 0) {
    return [{ path: [...path, 'enum'], message: "'enum' has no values", remedy: 'Add the allowed values.', isFatal }];
  }
  if (hasConst && Array.isArray(choices) && !isNested(only) && !choices.includes(only)) {
    const message = `'const' is ${JSON.stringify(only)}, which 'enum' does not have`;
    return [{ path: [...path, 'const'], message, remedy: "Add it to 'enum', or remove one of the two.", isFatal }];
  }
  const key = hasConst ? 'const' : 'enum';
  const values: readonly unknown[] = hasConst ? [only] : Array.isArray(choices) ? choices : [];
  const types = typesOf(schema);
  if (values.length === 0 || types.length === 0 || values.some((value) => fits(value, types))) return [];
  const message = `'${key}' has no value of the type ${types.join(' or ')}`;
  return [{ path: [...path, key], message, remedy: `Correct 'type', or the values of '${key}'.`, isFatal }];
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function fits(value: unknown, types: readonly string[]): boolean {
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  if (type === 'bigint') return true;
  return types.includes(type) || (type === 'number' && types.includes('integer') && Number.isInteger(value));
}

function ofMembers(schema: JsonSchema, place: Place): Contradiction[] {
  const { required, properties, patternProperties, additionalProperties: rest } = schema;
  if (!Array.isArray(required) || !mayBe(schema, ['object']) || patternProperties !== undefined) return [];
  const known = asSchema(properties);
  const isMixed = place.isShared || MIXERS.some((key) => schema[key] !== undefined);
  const isClosed = rest === false || (!isMixed && prunesMembers(schema));
  const isFatal = place.isFatal && isOnly(schema, ['object']);
  return required.flatMap((name: unknown, at): Contradiction[] => {
    if (typeof name !== 'string') return [];
    if (Object.hasOwn(known, name)) {
      if (known[name] !== false) return [];
      const message = `'${name}' is required, but its schema is false`;
      return [{ path: [...place.path, 'required', at], message, remedy: 'Correct its schema.', isFatal }];
    }
    if (!isClosed) return [];
    const others = rest === false ? 'no other member is allowed' : 'other members are removed from answers';
    const message = `'${name}' is required, but 'properties' does not have it, and ${others}`;
    const remedy = `Add '${name}' to 'properties', or remove it from 'required'.`;
    return [{ path: [...place.path, 'required', at], message, remedy, isFatal }];
  });
}

/** The contradictions of the parts that a value may have; those of `anyOf` and the like have alternatives. */
function below(schema: JsonSchema, place: Place): Contradiction[] {
  const above = [...place.above, schema];
  const at = (part: unknown, steps: Place['path'], more: Partial<Place>) =>
    isSchema(part) ? contradictionsAt(part, { ...place, above, path: [...place.path, ...steps], ...more }) : [];
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const isObject = place.isFatal && isOnly(schema, ['object']);
  const isFilled = place.isFatal && isOnly(schema, ['array']) && Number(schema['minItems'] ?? 0) > 0;
  const members = Object.entries(asSchema(schema['properties'])).flatMap(([name, part]) =>
    at(part, ['properties', name], { isFatal: isObject && required.includes(name), isShared: false }),
  );
  const parts: readonly unknown[] = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  const all = parts.flatMap((part, index) => at(part, ['allOf', index], { isShared: true }));
  const target = resolveReference(schema['$ref'], place.root);
  const referred = target
    ? contradictionsAt(target.schema, { ...place, above, path: stepsOf(String(schema['$ref'])), isShared: true })
    : [];
  const items = at(schema['items'], ['items'], { isFatal: isFilled, isShared: false });
  return [...members, ...items, ...all, ...referred];
}

/** The keys of a reference within the document. */
function stepsOf(reference: string): string[] {
  const steps = reference.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
