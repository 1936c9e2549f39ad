import type { DuckDBType } from '@duckdb/node-api';
import { quotedName } from '../duck-db/sql-text.ts';

/** The type of a column of a file: the SQL of a scalar type, or its parts. */
export type TableType =
  | string
  | { readonly list: TableType }
  | { readonly struct: readonly TableMember[] }
  | { readonly map: readonly [key: TableType, value: TableType] };

/** A column of a file, or a member of a struct. */
export interface TableMember {
  readonly name: string;
  readonly type: TableType;
}

/** The SQL of DuckDB's type of columns that hold only nulls. */
export const NULLS = '"NULL"';

/** A type of DuckDB as a tree. */
export function tableType(type: DuckDBType): TableType {
  if (type.alias === 'JSON') return 'JSON';
  if ('entryTypes' in type) {
    return {
      struct: type.entryTypes.map((entry, index) => ({ name: type.entryNames[index] ?? '', type: tableType(entry) })),
    };
  }
  if ('keyType' in type) return { map: [tableType(type.keyType), tableType(type.valueType)] };
  if ('valueType' in type) return { list: tableType(type.valueType) };
  return 'values' in type ? 'VARCHAR' : type.toString();
}

/** The SQL of a type. */
export function typeSql(type: TableType): string {
  if (typeof type === 'string') return type;
  if ('list' in type) return `${typeSql(type.list)}[]`;
  if ('map' in type) return `MAP(${type.map.map(typeSql).join(', ')})`;
  return `STRUCT(${type.struct.map(({ name, type: member }) => `${quotedName(name)} ${typeSql(member)}`).join(', ')})`;
}

/** The scalar types within a type, replaced. */
export function mapScalars(type: TableType, replace: (scalar: string) => string): TableType {
  if (typeof type === 'string') return replace(type);
  if ('list' in type) return { list: mapScalars(type.list, replace) };
  if ('map' in type) return { map: [mapScalars(type.map[0], replace), mapScalars(type.map[1], replace)] };
  return { struct: type.struct.map((member) => ({ ...member, type: mapScalars(member.type, replace) })) };
}

const SIGNED = ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT'];
const UNSIGNED = ['UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT'];
const FLOATS = ['FLOAT', 'DOUBLE'];
const STAMPS = ['DATE', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP', 'TIMESTAMP_NS'];
const TIMES = ['TIME', 'TIME_NS'];

/** The narrowest type that holds the values of two; undefined if there is none. */
function widerType(one: TableType, other: TableType): TableType | undefined {
  if (one === NULLS) return other;
  if (other === NULLS) return one;
  if (typeof one === 'string' && typeof other === 'string') return widerScalar(one, other);
  if (typeof one === 'string' || typeof other === 'string') return undefined;
  if ('list' in one && 'list' in other) {
    const list = widerType(one.list, other.list);
    return list === undefined ? undefined : { list };
  }
  if ('map' in one && 'map' in other) {
    const [key, value] = [widerType(one.map[0], other.map[0]), widerType(one.map[1], other.map[1])];
    return key === undefined || value === undefined ? undefined : { map: [key, value] };
  }
  if (!('struct' in one && 'struct' in other)) return undefined;
  const struct = joinMembers(one.struct, other.struct);
  return Array.isArray(struct) ? { struct } : undefined;
}

/** The members of two structs or tables by name; the first one whose types have none that holds both, if there is one. */
export function joinMembers(
  one: readonly TableMember[],
  other: readonly TableMember[],
): TableMember[] | { readonly differs: TableMember; readonly from: TableMember } {
  const joined = [...one];
  for (const member of other) {
    const at = joined.findIndex(({ name }) => name.toLowerCase() === member.name.toLowerCase());
    const known = joined[at];
    if (!known) {
      joined.push(member);
      continue;
    }
    const type = widerType(known.type, member.type);
    if (type === undefined) return { differs: member, from: known };
    joined[at] = { name: known.name, type };
  }
  return joined;
}

function widerScalar(one: string, other: string): string | undefined {
  if (one === other) return one;
  for (const order of [SIGNED, UNSIGNED, FLOATS, STAMPS, TIMES]) {
    const at = [order.indexOf(one), order.indexOf(other)];
    if (at.every((index) => index >= 0)) return order[Math.max(...at)];
  }
  const kinds = [kindOf(one), kindOf(other)];
  if (kinds.includes('')) return undefined;
  if (kinds.includes('float')) return 'DOUBLE';
  return kinds.includes('decimal') ? widerDecimal(one, other) : 'HUGEINT';
}

function kindOf(type: string): 'integer' | 'float' | 'decimal' | '' {
  if (SIGNED.includes(type) || UNSIGNED.includes(type)) return 'integer';
  if (FLOATS.includes(type)) return 'float';
  return type.startsWith('DECIMAL') ? 'decimal' : '';
}

/** A decimal with the digits of both; undefined beyond the 38 digits of DuckDB. */
function widerDecimal(one: string, other: string): string | undefined {
  const [a, b] = [digitsOf(one), digitsOf(other)];
  const scale = Math.max(a.scale, b.scale);
  const width = Math.max(a.width - a.scale, b.width - b.scale) + scale;
  return width > 38 ? undefined : `DECIMAL(${width},${scale})`;
}

function digitsOf(type: string): { readonly width: number; readonly scale: number } {
  const [, width, scale] = /^DECIMAL\((\d+),\s*(\d+)\)$/.exec(type) ?? [];
  return width === undefined ? { width: 20, scale: 0 } : { width: Number(width), scale: Number(scale) };
}
