import type { DuckDBType } from '@duckdb/node-api';
import { quotedName } from './sql-text.ts';

/** The values without parts of their own in a column: its own values, or those in its lists, structs and maps. */
export interface ScalarPart {
  readonly type: DuckDBType;
  /** Where they stand in the column; empty if the column has no parts. */
  readonly path: string;
  /** Whether they stand in a map, so that they are stored in JSON. */
  readonly isInMap: boolean;
  /** The names in the struct that they are a member of; none outside of a struct. */
  readonly siblings: readonly string[];
  /** SQL that is true if one of them passes a test; not true for a null. */
  readonly some: (test: (value: string) => string) => string;
}

/** The values without parts of their own in a value. The keys of maps are none. */
export function scalarParts(value: string, type: DuckDBType): ScalarPart[] {
  const some: ScalarPart['some'] = (test) => test(value);
  return [...partsWithin(type, { path: '', isInMap: false, siblings: [], depth: 0, some })];
}

interface Place extends Omit<ScalarPart, 'type'> {
  /** The number of enclosing lambdas. */
  readonly depth: number;
}

function* partsWithin(type: DuckDBType, { depth, ...place }: Place): Generator<ScalarPart> {
  const { path, isInMap, some } = place;
  if ('entryTypes' in type && 'entryNames' in type) {
    const siblings = type.entryNames;
    for (const [index, entry] of type.entryTypes.entries()) {
      const ofMember: ScalarPart['some'] = (test) => some((struct) => test(memberSql(struct, index)));
      yield* partsWithin(entry, { path: `${path}.${index}`, isInMap, siblings, depth, some: ofMember });
    }
  } else if ('valueType' in type) {
    const isMap = 'keyType' in type;
    const item = `e${depth}`;
    const ofItem: ScalarPart['some'] = (test) =>
      some((list) => {
        const items = isMap ? `map_values(${list})` : list;
        return `coalesce(list_bool_or(list_transform(${items}, lambda ${item}: ${test(item)})), false)`;
      });
    const within = { path: `${path}[]`, isInMap: isInMap || isMap, siblings: [], depth: depth + 1, some: ofItem };
    yield* partsWithin(type.valueType, within);
  } else yield { type, ...place };
}

/** SQL of a value with some of its parts changed, by their paths. */
export function withChangedParts(
  value: string,
  type: DuckDBType,
  changes: ReadonlyMap<string, (value: string) => string>,
): string {
  return changed(value, type, { path: '', depth: 0, changes });
}

interface Change {
  readonly path: string;
  readonly depth: number;
  readonly changes: Parameters<typeof withChangedParts>[2];
}

function changed(value: string, type: DuckDBType, { path, depth, changes }: Change): string {
  const own = changes.get(path);
  if (own) return own(value);
  if (![...changes.keys()].some((one) => one.startsWith(path))) return value;
  if ('entryTypes' in type && 'entryNames' in type) {
    const members = type.entryTypes.map((entry, index) => {
      const member = changed(memberSql(value, index), entry, { path: `${path}.${index}`, depth, changes });
      return `${quotedName(type.entryNames[index] ?? '')} := ${member}`;
    });
    return `CASE WHEN ${value} IS NULL THEN NULL ELSE struct_pack(${members.join(', ')}) END`;
  }
  if (!('valueType' in type)) return value;
  const item = `e${depth}`;
  const inner = (part: string): string =>
    changed(part, type.valueType, { path: `${path}[]`, depth: depth + 1, changes });
  if (!('keyType' in type)) return `list_transform(${value}, lambda ${item}: ${inner(item)})`;
  const pair = `key := ${item}.key, value := ${inner(`${item}.value`)}`;
  return `map_from_entries(list_transform(map_entries(${value}), lambda ${item}: struct_pack(${pair})))`;
}

function memberSql(struct: string, index: number): string {
  return `struct_extract_at(${struct}, ${index + 1})`;
}
