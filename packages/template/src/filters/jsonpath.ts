import { builtin, type Builtin } from '../value/callable.ts';
import { Dict, mapItem, mapOf } from '../value/collections.ts';
import { securityFault, typeFault } from '../fault.ts';
import { iterate, plainMap, textOf, typeName } from '../value/inspect.ts';
import { item } from '../methods/lookup.ts';
import type { Meter } from '../value/meter.ts';
import { Undefined } from '../value/undefined.ts';
import { isList, type Optional, type Value } from '../value/value.ts';

const STEP = /(\.\.)?(?:\.?(\*|[\p{L}_][\p{L}\p{N}_]*)|\[\s*(?:(\*)|(-?\d+)|'([^']*)'|"([^"]*)")\s*\])/uy;

interface Step {
  readonly deep: boolean;
  /** A key, an index, or undefined for every item. */
  readonly key: string | number | undefined;
}

function readPath(path: string): readonly Step[] {
  const steps: Step[] = [];
  let at = path.startsWith('$') ? 1 : 0;
  while (at < path.length) {
    STEP.lastIndex = at;
    const match = STEP.exec(path);
    if (match === null) {
      const condition = path.includes('?') ? 'a condition such as [?(@.role)] is not supported; ' : '';
      return securityFault(`the path '${path}': ${condition}jsonpath reads names, positions, '*' and '..' only`);
    }
    const [all, deep, name, , position, single, double] = match;
    const key = position === undefined ? (single ?? double ?? (name === '*' ? undefined : name)) : Number(position);
    steps.push({ deep: deep !== undefined, key });
    at += all.length;
  }
  return steps;
}

function childrenOf(value: Value, meter: Meter): readonly Value[] {
  const children = isList(value)
    ? value
    : value instanceof Dict
      ? Array.from(value.entries(), ([, one]) => one)
      : Object.values(plainMap(value) ?? {});
  meter.charge(5 + 8 * children.length);
  return children;
}

function descendants(value: Value, meter: Meter): readonly Value[] {
  return meter.deeper(() => {
    const below = childrenOf(value, meter).flatMap((child) => descendants(child, meter));
    meter.chargeItems(below.length);
    return [value, ...below];
  });
}

function takeStep(values: readonly Value[], step: Step, meter: Meter): readonly Value[] {
  const from = step.deep ? values.flatMap((value) => descendants(value, meter)) : values;
  const { key } = step;
  meter.charge(5 * from.length);
  if (key === undefined) return from.flatMap((value) => childrenOf(value, meter));
  const fits = (value: Value): boolean => (typeof key === 'number' ? isList(value) : mapOf(value) !== undefined);
  return from
    .filter(fits)
    .map((value) => own(value, key, meter))
    .filter((found) => found !== undefined);
}

function own(value: Value, key: string | number, meter: Meter): Optional {
  const map = mapOf(value);
  if (map !== undefined) return mapItem(map, key, meter);
  const found = item(value, key, meter);
  return found instanceof Undefined ? undefined : found;
}

const FILTER: Builtin<Value> = builtin('jsonpath(expression)', (self, [expression = null], meter) => {
  if (mapOf(self) === undefined) {
    const remedy = isList(self) ? "write {'all': list} | jsonpath('$.all[*]') for a list" : '';
    return typeFault(`jsonpath needs a mapping, and not '${typeName(self)}'${remedy === '' ? '' : `; ${remedy}`}`);
  }
  const path = readPath(textOf(expression) ?? typeFault('jsonpath needs a path'));
  const found = path.reduce<readonly Value[]>((values, step) => takeStep(values, step, meter), [self]);
  return iterate(found, meter);
});

/** The filter `jsonpath`: the values that a JSONPath selects in a map. */
export const JSONPATH: Builtin<Value> = {
  ...FILTER,
  accepts: (given) => {
    FILTER.accepts?.(given);
    const path = given.positional[0] ?? given.keywords.get('expression');
    if (typeof path === 'string') readPath(path);
  },
};
