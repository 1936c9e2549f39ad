import { type CellValue, fieldsOf, Float, isFields } from '@data-designer/core';
import { allowsNull } from './strict-schema.ts';

type Schema = Readonly<Record<string, unknown>>;
type Members = { readonly [key: string]: CellValue };

/** What is known of the values at some place of a schema, worked out when a value first stands there. */
interface Spot {
  readonly members: ReadonlyMap<string, Member>;
  readonly item: () => Spot;
}

interface Member {
  /** Null stands for nothing here. */
  readonly isDropped: boolean;
  readonly spot: () => Spot;
}

/**
 * What takes out the nulls that stand where a property may be left out but not be null, as strict endpoints make a
 * model write them; parts without any are shared. `root` is the schema before it was made strict.
 */
export function nullDropper(root: Schema): (value: CellValue) => CellValue {
  const spots = new Spots(root);
  const start = spots.of([root]);
  return (value) => dropNulls(value, start);
}

function dropNulls(value: CellValue, spot: Spot): CellValue {
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  return Array.isArray(value)
    ? dropInArray(value as readonly CellValue[], spot)
    : dropInObject(value as Members, spot.members);
}

function dropInArray(values: readonly CellValue[], { item }: Spot): CellValue {
  const spot = item();
  let copy: CellValue[] | undefined;
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    const kept = value === undefined ? value : dropNulls(value, spot);
    if (kept !== undefined && kept !== value) (copy ??= [...values])[index] = kept;
  }
  return copy ?? values;
}

function dropInObject(record: Members, members: Spot['members']): CellValue {
  let changed: Map<string, CellValue | undefined> | undefined;
  for (const name in record) {
    const value = record[name];
    const member = typeof value === 'object' ? members.get(name) : undefined;
    if (!member || value === undefined) continue;
    const kept = value === null && member.isDropped ? undefined : dropNulls(value, member.spot());
    if (kept !== value) (changed ??= new Map()).set(name, kept);
  }
  return changed ? copyOf(record, changed) : record;
}

/** A copy with other members in place of some; undefined leaves one out. */
function copyOf(record: Members, changed: ReadonlyMap<string, CellValue | undefined>): CellValue {
  const copy: Record<string, CellValue> = {};
  for (const name in record) {
    const value = changed.has(name) ? changed.get(name) : record[name];
    if (value === undefined) continue;
    // Assigned, that name would be no member.
    if (name === '__proto__') Object.defineProperty(copy, name, { value, enumerable: true, writable: true });
    else copy[name] = value;
  }
  return copy;
}

/** The spots of one schema document; the same schemas together are one spot. */
class Spots {
  readonly #root: Schema;
  readonly #numbers = new Map<Schema, number>();
  readonly #known = new Map<string, Spot>();

  constructor(root: Schema) {
    this.#root = root;
  }

  of(schemas: readonly Schema[]): Spot {
    const meanings = [...this.#meanings(schemas)];
    const key = meanings.map((meaning) => this.#numberOf(meaning)).join(' ');
    const known = this.#known.get(key);
    if (known) return known;
    const items = meanings.map((meaning) => meaning.items).filter(isFields);
    const spot = { members: this.#members(meanings), item: once(() => this.of(items)) };
    this.#known.set(key, spot);
    return spot;
  }

  #members(meanings: readonly Schema[]): ReadonlyMap<string, Member> {
    const objects = meanings.filter(({ properties }) => isFields(properties));
    const names = new Set(objects.flatMap(({ properties }) => Object.keys(fieldsOf(properties))));
    return new Map([...names].map((name) => [name, this.#member(name, objects)]));
  }

  #member(name: string, objects: readonly Schema[]): Member {
    const having = objects.filter(({ properties }) => Object.hasOwn(fieldsOf(properties), name));
    const parts = having.map(({ properties }) => fieldsOf(properties)[name]).filter(isFields);
    const isOptional = having.some(({ required }) => !Array.isArray(required) || !required.includes(name));
    const mayBeNull = [...this.#meanings(parts)].some(allowsNull);
    return { isDropped: isOptional && !mayBeNull, spot: once(() => this.of(parts)) };
  }

  /** What schemas may stand for: themselves, what they refer to, and each of their branches. */
  #meanings(schemas: readonly Schema[], found = new Set<Schema>()): ReadonlySet<Schema> {
    for (const schema of schemas) {
      if (found.has(schema)) continue;
      found.add(schema);
      const { $ref: reference, anyOf, allOf } = schema;
      const target = typeof reference === 'string' ? resolve(reference, this.#root) : undefined;
      this.#meanings([target, anyOf, allOf].flat().filter(isFields), found);
    }
    return found;
  }

  #numberOf(schema: Schema): number {
    const number = this.#numbers.get(schema) ?? this.#numbers.size;
    this.#numbers.set(schema, number);
    return number;
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

/** Lists have members too: a reference may name one by its number. */
function isMembers(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}

function resolve(reference: string, root: Schema): unknown {
  const steps = reference.slice(1).split('/').slice(1);
  return steps.reduce<unknown>((at, step) => {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    return isMembers(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }, root);
}
