import { type ArrowField, type ArrowType, field, Float } from '@data-designer/core';

/** What was seen of the values at one place: the kinds, and what is inside lists and mappings. */
interface Seen {
  readonly kinds: Set<'bool' | 'int64' | 'float64' | 'utf8' | 'list' | 'struct'>;
  items: Seen | undefined;
  readonly members: Map<string, Seen>;
}

/** The first value that is no data: in which row and column, and what it is. */
export interface NoData {
  readonly row: number;
  readonly column: string;
  readonly what: string;
}

/** Values within each other; far beyond what rows hold, and within every reader's stack. */
const MAX_DEPTH = 100;

const seenNothing = (): Seen => ({ kinds: new Set(), items: undefined, members: new Map() });

/**
 * The columns of rows in memory, in the order of their first appearance, typed by all their values: integers and
 * floats together are floats, dates are text, and values of several types are JSON text. Gives the first value that
 * is no data instead, such as a function.
 */
export function arrowOfRows(rows: readonly Readonly<Record<string, unknown>>[]): readonly ArrowField[] | NoData {
  const columns = new Map<string, Seen>();
  for (const [row, values] of rows.entries()) {
    for (const [column, value] of Object.entries(values)) {
      const what = look(value, memberOf(columns, column), MAX_DEPTH);
      if (what !== undefined) return { row, column, what };
    }
  }
  return [...columns].map(([name, seen]) => fieldOf(name, seen));
}

function memberOf(members: Map<string, Seen>, name: string): Seen {
  const known = members.get(name) ?? seenNothing();
  members.set(name, known);
  return known;
}

/** Notes a value; what it is if it is no data. */
function look(value: unknown, seen: Seen, depth: number): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (depth === 0) return `lists and mappings more than ${MAX_DEPTH} deep`;
  if (Array.isArray(value)) return lookAtList(value, seen, depth);
  const kind = kindOf(value);
  if (kind === undefined) return `a ${nameOf(value)}`;
  seen.kinds.add(kind);
  if (kind !== 'struct') return undefined;
  return lookAtMembers(value as Readonly<Record<string, unknown>>, seen, depth);
}

function lookAtList(items: readonly unknown[], seen: Seen, depth: number): string | undefined {
  seen.kinds.add('list');
  seen.items ??= seenNothing();
  for (const item of items) {
    const what = look(item, seen.items, depth - 1);
    if (what !== undefined) return what;
  }
  return undefined;
}

function lookAtMembers(
  mapping: Readonly<Record<string, unknown>>,
  { members }: Seen,
  depth: number,
): string | undefined {
  for (const [key, part] of Object.entries(mapping)) {
    const what = look(part, memberOf(members, key), depth - 1);
    if (what !== undefined) return what;
  }
  return undefined;
}

function kindOf(value: unknown): 'bool' | 'int64' | 'float64' | 'utf8' | 'struct' | undefined {
  if (typeof value === 'string' || value instanceof Date) return 'utf8';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0) ? 'int64' : 'float64';
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? 'int64' : 'utf8';
  if (value instanceof Float) return 'float64';
  if (typeof value !== 'object' || value === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? 'struct' : undefined;
}

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value;
  return (value.constructor as { readonly name?: string } | undefined)?.name ?? 'thing of another kind';
}

function fieldOf(name: string, seen: Seen): ArrowField {
  const type = typeOf(seen);
  return type === undefined ? field(name, 'utf8', { json: true }) : field(name, type);
}

/** The one type of all values seen at a place; undefined where they have several, or none that Arrow files can hold. */
function typeOf({ kinds, items, members }: Seen): ArrowType | undefined {
  const [kind, ...others] = [...kinds].filter((one) => one !== 'int64' || !kinds.has('float64'));
  if (kind === undefined) return 'utf8';
  if (others.length > 0) return undefined;
  if (kind === 'struct')
    return members.size === 0 ? undefined : { struct: [...members].map(([n, m]) => fieldOf(n, m)) };
  if (kind !== 'list') return kind;
  const inner = items && typeOf(items);
  return inner === undefined ? undefined : { list: inner };
}
