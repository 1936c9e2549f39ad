import { isHiddenName } from '../methods/find-method.ts';
import { builtin, type Builtin, type Implementation } from '../value/callable.ts';
import { entriesOf, mapOf, OneTimeIterable, Tuple } from '../value/collections.ts';
import { equal } from '../value/equal.ts';
import { typeFault } from '../fault.ts';
import { iterate, textOf, truthy } from '../value/inspect.ts';
import { memberOf } from '../methods/lookup.ts';
import { OPERATIONS } from '../operators.ts';
import { str } from '../value/print.ts';
import { Undefined } from '../value/undefined.ts';
import type { Value } from '../value/value.ts';
import { accessorWithDefault, attributeAccessor, caseFolding } from './item-accessors.ts';
import { sortedBy } from './list-filters.ts';
import { integerArgument } from './text-filters.ts';

/** One group of `groupby`: a named tuple of the key and its items. */
class Group extends Tuple {
  override member(name: string): Value | undefined {
    if (name === 'grouper') return this.values[0];
    return name === 'list' ? this.values[1] : undefined;
  }
}

const groupBy: Implementation<Value> = (self, [attribute, otherwise, caseSensitive = false], meter) => {
  const pick = accessorWithDefault(attributeAccessor(attribute, meter), otherwise);
  const keyOf = caseFolding(pick, caseSensitive, meter);
  const values = iterate(self, meter);
  meter.charge(12 * values.length);
  const keys = values.map(keyOf);
  const sorted = sortedBy(values, { keys, reverse: false, meter });
  const groups: Value[][] = [];
  let last: Value | undefined;
  for (const value of sorted) {
    const key = keyOf(value);
    if (last !== undefined && equal(last, key, meter)) groups.at(-1)?.push(value);
    else groups.push([value]);
    last = key;
  }
  return groups.map((group) => new Group([pick(group[0] ?? null), group]));
};

const dictSort: Implementation<Value> = (self, [caseSensitive = false, by = 'key', reverse = false], meter) => {
  if (self instanceof Undefined) return self.fail();
  const map = mapOf(self) ?? typeFault('dictsort needs a mapping');
  if (by !== 'key' && by !== 'value') typeFault('You can only sort by either "key" or "value"');
  const fold = caseFolding((value) => value, caseSensitive, meter);
  const entries = Array.from(entriesOf(map, meter));
  meter.charge(5 * entries.length);
  const keys = entries.map(([key, value]) => fold(by === 'key' ? key : value));
  const tuples = entries.map((entry) => new Tuple(entry));
  return sortedBy(tuples, { keys, reverse: truthy(reverse, meter), meter });
};

const sum: Implementation<Value> = (self, [attribute, start = 0], meter) => {
  if (textOf(start) !== undefined) typeFault("sum() can't sum strings [use ''.join(seq) instead]");
  const pick = attributeAccessor(attribute, meter);
  const items = iterate(self, meter);
  meter.charge(4 * items.length);
  return items.reduce<Value>((total, value) => OPERATIONS['+'](total, pick(value), meter), start);
};

const batch: Implementation<Value> = (self, [count, fill = null], meter) => {
  const size = integerArgument(count, 0);
  const values = iterate(self, meter);
  if (size < 1) return typeFault('batch needs a count of at least 1');
  meter.chargeItems(values.length + (fill === null ? 0 : size));
  meter.charge((3 * values.length) / size);
  const rows: Value[][] = [];
  for (let at = 0; at < values.length; at += size) rows.push(values.slice(at, at + size));
  const last = rows.at(-1);
  if (fill !== null && last !== undefined) while (last.length < size) last.push(fill);
  return new OneTimeIterable(rows);
};

const slices: Implementation<Value> = (self, [count, fill = null], meter) => {
  const parts = integerArgument(count, 0);
  const values = iterate(self, meter);
  if (parts < 1) return typeFault('slice needs a count of at least 1');
  meter.chargeItems(values.length + parts);
  meter.charge(4 * parts);
  const size = Math.floor(values.length / parts);
  const larger = values.length % parts;
  const columns = Array.from({ length: parts }, (_, at) => {
    const from = at * size + Math.min(at, larger);
    const column = values.slice(from, from + size + (at < larger ? 1 : 0));
    return fill !== null && at >= larger ? [...column, fill] : column;
  });
  return new OneTimeIterable(columns);
};

const withFallback: Implementation<Value> = (self, [fallback = '', boolean = false], meter) => {
  return self instanceof Undefined || (truthy(boolean, meter) && !truthy(self, meter)) ? fallback : self;
};

/** The filters on lists and on all values for native templates only. */
export const NATIVE_LIST_FILTERS: readonly Builtin<Value>[] = [
  builtin('default(default_value?, boolean?)', withFallback),
  builtin('d(default_value?, boolean?)', withFallback),
  builtin('groupby(attribute, default?, case_sensitive?)', groupBy),
  builtin('dictsort(case_sensitive?, by?, reverse?)', dictSort),
  builtin('sum(attribute?, start?)', sum),
  builtin('batch(linecount, fill_with?)', batch),
  builtin('slice(slices, fill_with?)', slices),
  builtin('attr(name)', (self, [name = null], meter) => {
    const text = str(name, meter);
    if (self instanceof Undefined && !isHiddenName(text)) return self.fail();
    const found = memberOf(self, text, meter);
    return found === undefined ? new Undefined(`the attribute '${text}'`, meter) : found;
  }),
];
