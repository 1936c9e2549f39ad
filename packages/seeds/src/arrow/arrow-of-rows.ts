import { type ArrowField, type ArrowType, field, Float } from '@data-designer/core';
import { isMapping } from '@data-designer/config';

/** The kinds of values seen in a column or member, and the same of their items and members. */
interface Seen {
  readonly kinds: Set<'bool' | 'int64' | 'wide' | 'float64' | 'utf8' | 'bytes' | 'date' | 'list' | 'struct'>;
  items: Seen | undefined;
  readonly members: Map<string, Seen>;
}

/** The first value that cannot be stored, or the first row that is no mapping: `column` is then undefined. */
export interface UnstorableValue {
  readonly row: number;
  readonly column: string | undefined;
  readonly what: string;
}

/** A mapping with more keys is stored as JSON: its keys are data. */
const MAX_MEMBERS = 1000;

/** Deepest nesting of values: beyond any real row, within every reader's stack. */
const MAX_DEPTH = 100;

const newSeen = (): Seen => ({ kinds: new Set(), items: undefined, members: new Map() });

/** The columns of rows, typed by all values, mixed types as JSON; or the first unstorable value. */
export function arrowOfRows(rows: readonly unknown[]): readonly ArrowField[] | UnstorableValue {
  const types = new RowTypes();
  for (const row of rows) {
    const unstorable = types.add(row);
    if (unstorable) return unstorable;
  }
  return types.fields();
}

/** Infers the columns of rows, one row after the other. */
export class RowTypes {
  readonly #columns = new Map<string, Seen>();
  #rows = 0;

  /** The number of rows so far. */
  get rows(): number {
    return this.#rows;
  }

  /** Adds the next row; gives the first of its values that cannot be stored. */
  add(row: unknown): UnstorableValue | undefined {
    const at = this.#rows++;
    if (!isMapping(row)) return { row: at, column: undefined, what: `a ${nameOf(row)}` };
    for (const column of Object.keys(row)) {
      const what = noteValue(row[column], memberOf(this.#columns, column), MAX_DEPTH);
      if (what !== undefined) return { row: at, column, what };
    }
    return undefined;
  }

  /** The columns so far. */
  fields(): readonly ArrowField[] {
    return [...this.#columns].map(([name, seen]) => fieldOf(name, seen));
  }
}

function memberOf(members: Map<string, Seen>, name: string): Seen {
  const known = members.get(name);
  if (known) return known;
  const seen = newSeen();
  members.set(name, seen);
  return seen;
}

/** Notes a value; gives its description if it cannot be stored. */
function noteValue(value: unknown, seen: Seen, depth: number): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (depth === 0) return `lists or mappings nested more than ${MAX_DEPTH} levels deep`;
  const kind = Array.isArray(value) ? 'list' : kindOf(value);
  if (kind === undefined) return value instanceof Date ? 'an invalid Date' : `a ${nameOf(value)}`;
  seen.kinds.add(kind);
  // As text, Base64 among other values would look like one of them.
  if (seen.kinds.has('bytes') && seen.kinds.size > 1) return 'both bytes and other values';
  if (Array.isArray(value)) return noteItems(value, seen, depth);
  return isMapping(value) ? noteMembers(value, seen, depth) : undefined;
}

function noteItems(items: readonly unknown[], seen: Seen, depth: number): string | undefined {
  seen.items ??= newSeen();
  for (const item of items) {
    const what = noteValue(item, seen.items, depth - 1);
    if (what !== undefined) return what;
  }
  return undefined;
}

function noteMembers(mapping: Readonly<Record<string, unknown>>, { members }: Seen, depth: number): string | undefined {
  for (const [key, part] of Object.entries(mapping)) {
    const seen = members.size > MAX_MEMBERS ? newSeen() : memberOf(members, key);
    const what = noteValue(part, seen, depth - 1);
    if (what !== undefined) return what;
  }
  return undefined;
}

/** The kind of a value; `wide` are integers that a float would round. */
function kindOf(
  value: unknown,
): 'bool' | 'int64' | 'wide' | 'float64' | 'utf8' | 'bytes' | 'date' | 'struct' | undefined {
  if (typeof value === 'string') return 'utf8';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0) ? 'int64' : 'float64';
  if (typeof value === 'bigint') {
    if (BigInt.asIntN(64, value) !== value) return 'utf8';
    return BigInt(Number(value)) === value ? 'int64' : 'wide';
  }
  if (value instanceof Float) return 'float64';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : 'date';
  return isMapping(value) ? 'struct' : undefined;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  return (value.constructor as { readonly name?: string } | undefined)?.name ?? 'thing of another kind';
}

function fieldOf(name: string, seen: Seen): ArrowField {
  const type = typeOf(seen);
  return type === undefined ? field(name, 'utf8', { json: true }) : field(name, type);
}

/** The kind as which values are stored beside those of other kinds: none of their own for integers beside floats. */
function kindAmong<Kind extends string>(
  kind: Kind,
  kinds: ReadonlySet<string>,
): Exclude<Kind, 'wide'> | 'int64' | 'utf8' | [] {
  if (kind === 'date' && kinds.size > 1) return 'utf8';
  // Beside floats they remain a kind of their own, so that the column becomes JSON text with all digits.
  if (kind === 'wide') return 'int64';
  return kind === 'int64' && kinds.has('float64') ? [] : (kind as Exclude<Kind, 'wide'>);
}

/** The type of all values seen; undefined for values of several types or of none that Arrow files can hold. */
function typeOf({ kinds, items, members }: Seen): ArrowType | undefined {
  const [kind, ...others] = new Set([...kinds].flatMap((one) => kindAmong(one, kinds)));
  if (kind === undefined) return 'null';
  if (kind === 'date') return { logical: 'timestamp', unit: 'ms', zoned: true };
  if (kind === 'bytes') return 'utf8';
  if (others.length > 0) return undefined;
  if (kind === 'struct')
    return members.size === 0 || members.size > MAX_MEMBERS
      ? undefined
      : { struct: [...members].map(([n, m]) => fieldOf(n, m)) };
  if (kind !== 'list') return kind;
  const inner = items && typeOf(items);
  return inner === undefined ? undefined : { list: inner };
}
