import { type Fields, fieldsOf, isFields, itemsOf, stringOf } from '@data-designer/core';

/** A type that a config may name. */
export interface KnownType {
  /** Its name. */
  readonly type: string;
  /** Its purpose; empty if a plug-in gives none. */
  readonly description: string;
  /** The keys that a declaration must have. */
  readonly required: readonly string[];
  /** The other keys. */
  readonly optional: readonly string[];
  /** The JSON Schema of its declaration; for samplers and validators that of their parameters. */
  readonly schema: Fields;
}

/** The types among which one key of a config chooses. */
export interface TypeFamily {
  readonly family: FamilyName;
  /** The key of a config that names the type. */
  readonly key: string;
  /** The built-in types in the JSON Schema of configs: a JSON Pointer. */
  readonly pointer: string;
  /** The method of the config builder that takes a declaration. */
  readonly method: string;
  /** How the rest of a config refers to it; absent where a declaration stands for itself. */
  readonly use?: string;
  /** The built-in types and those of plug-ins, by name. */
  readonly types: readonly KnownType[];
}

/** The families in the order in which they are listed. */
export const FAMILY_NAMES = [
  'columns',
  'constraints',
  'environments',
  'processors',
  'samplers',
  'seeds',
  'validators',
] as const;

export type FamilyName = (typeof FAMILY_NAMES)[number];

/** All types that a config may name, from the JSON Schema of configs, which has those of plug-ins too. */
export function typeFamilies({ $defs }: Fields): readonly TypeFamily[] {
  const definitions = fieldsOf($defs);
  const {
    constraints,
    environments,
    processors,
    seed_config: seeds,
  } = fieldsOf(fieldsOf(definitions.dataset).properties);
  const names = itemsOf(fieldsOf(fieldsOf(fieldsOf(definitions.column).properties).column_type).enum).map(String);
  const { sampler, validation } = definitions;
  const types: Readonly<Record<FamilyName, readonly KnownType[]>> = {
    columns: names.map((name) => columnType(name, fieldsOf(definitions[name]))),
    constraints: variantsIn(constraints, 'constraint_type'),
    environments: variantsIn(environments, 'kind'),
    processors: variantsIn(processors, 'processor_type'),
    samplers: branchesOf(sampler, 'sampler_type', 'params').map(([type, schema]) => describedType(type, schema)),
    seeds: variantsIn(seeds, 'seed_type'),
    validators: branchesOf(validation, 'validator_type', 'validator_params').map(([type, schema]) =>
      taggedType(type, schema, 'validator_type'),
    ),
  };
  return FAMILY_NAMES.map((family) => ({
    family,
    ...PLACES[family],
    types: types[family].toSorted((a, b) => (a.type < b.type ? -1 : 1)),
  }));
}

/** By family, the key of a config, the place in the JSON Schema, and the method of the config builder. */
const PLACES = {
  columns: { key: 'column_type', pointer: '#/$defs/<type>', method: 'addColumn' },
  constraints: { key: 'constraint_type', pointer: '#/$defs/dataset/properties/constraints', method: 'addConstraint' },
  environments: {
    key: 'kind',
    pointer: '#/$defs/dataset/properties/environments',
    method: 'addEnvironment',
    use: 'A tool config lists the name of an environment among its providers. Columns of its tool_alias then also write {column}__state, which a validation with the validator_type state checks.',
  },
  processors: { key: 'processor_type', pointer: '#/$defs/dataset/properties/processors', method: 'addProcessor' },
  samplers: { key: 'sampler_type', pointer: '#/$defs/sampler/allOf', method: 'addColumn' },
  seeds: { key: 'seed_type', pointer: '#/$defs/dataset/properties/seed_config', method: 'withSeedDataset' },
  validators: { key: 'validator_type', pointer: '#/$defs/validation/allOf', method: 'addColumn' },
} as const satisfies Record<FamilyName, Omit<TypeFamily, 'family' | 'types'>>;

/** A column type, without the variants of its parameters, which are families of their own. */
function columnType(type: string, { allOf: _, ...schema }: Fields): KnownType {
  return describedType(type, schema);
}

/** The types in the branches of a column's schema, one branch per value of its tag. */
function branchesOf(schema: unknown, tag: string, params: string): (readonly [type: string, schema: Fields])[] {
  return itemsOf(fieldsOf(schema).allOf).flatMap((branch) => {
    const { if: condition, then: consequence } = fieldsOf(branch);
    const type = stringOf(fieldsOf(fieldsOf(fieldsOf(condition).properties)[tag]).const);
    const chosen = fieldsOf(fieldsOf(consequence).properties)[params];
    return type === null || chosen === undefined ? [] : [[type, fieldsOf(chosen)] as const];
  });
}

/** The variants within a part of the config that have the tag. */
function variantsIn(part: unknown, tag: string): KnownType[] {
  const schema = fieldsOf(part);
  const properties = fieldsOf(schema.properties);
  const type = stringOf(fieldsOf(properties[tag]).const);
  if (type !== null) return [taggedType(type, schema, tag)];
  const inner = [...itemsOf(schema.anyOf), schema.items, ...Object.values(properties)];
  return inner.filter(isFields).flatMap((one) => variantsIn(one, tag));
}

/** A type whose purpose is the description of its schema, or else of its tag. */
function taggedType(type: string, schema: Fields, tag: string): KnownType {
  const { description } = fieldsOf(fieldsOf(schema.properties)[tag]);
  return describedType(type, { description, ...schema });
}

function describedType(type: string, schema: Fields): KnownType {
  const keys = Object.keys(fieldsOf(schema.properties));
  const must = itemsOf(schema.required);
  return {
    type,
    description: stringOf(schema.description) ?? '',
    required: keys.filter((key) => must.includes(key)),
    optional: keys.filter((key) => !must.includes(key)),
    schema,
  };
}
