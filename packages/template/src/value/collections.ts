import { Float } from '@data-designer/core';
import { securityFault, typeFault } from '../fault.ts';
import { plainMap, textOf, typeName } from './inspect.ts';
import type { Meter } from './meter.ts';
import { printAll, repr } from './print.ts';
import { quote } from '../quote.ts';
import { pickItem, resolveIndex } from './code-points.ts';
import { isList, type Optional, type PlainMap, TemplateObject, type Value } from './value.ts';

/** A fixed sequence of values. */
abstract class FixedSequence extends TemplateObject {
  readonly values: readonly Value[];

  constructor(values: readonly Value[]) {
    super();
    this.values = values;
  }

  override size(): number {
    return this.values.length;
  }

  override items(): Iterable<Value> {
    return this.values;
  }
}

/** A tuple: `(1, 2)`. */
export class Tuple extends FixedSequence {
  readonly typeName = 'tuple';

  print(meter: Meter): string {
    return this.values.length === 1 ? `(${printAll(this.values, meter)},)` : `(${printAll(this.values, meter)})`;
  }

  override item(key: Value): Optional {
    return pickItem(this.values, key);
  }

  override hash(meter: Meter): unknown {
    return meter.deeper(() => {
      meter.charge(8 * this.values.length);
      const parts = this.values.map((value) => `${typeof value} ${String(hashKey(value, meter))}`);
      meter.chargeParts(parts, 1);
      return `\0tuple ${parts.join('\0')}`;
    });
  }
}

/** A map that a template made; any hashable value can be a key. */
export class Dict extends TemplateObject {
  readonly typeName = 'dict';
  readonly #entries = new Map<unknown, readonly [Value, Value]>();

  static of(entries: Iterable<readonly [Value, Value]>, meter: Meter): Dict {
    const dict = new Dict();
    for (const [key, value] of entries) dict.set(key, value, meter);
    return dict;
  }

  set(key: Value, value: Value, meter: Meter): void {
    meter.charge(5);
    const hash = hashKey(key, meter);
    this.#entries.set(hash, [this.#entries.get(hash)?.[0] ?? key, value]);
  }

  get(key: Value, meter: Meter): Optional {
    return this.#entries.get(hashKey(key, meter))?.[1];
  }

  entries(): Iterable<readonly [Value, Value]> {
    return this.#entries.values();
  }

  /** The values by the hashes of their keys, for comparing maps. */
  byHash(): ReadonlyMap<unknown, Value> {
    return new Map(Array.from(this.#entries, ([hash, [, value]]) => [hash, value]));
  }

  print(meter: Meter): string {
    meter.charge(10 * this.#entries.size);
    const pairs = Array.from(this.entries(), ([key, value]) => `${repr(key, meter)}: ${repr(value, meter)}`);
    meter.chargeParts(pairs, 2);
    return `{${pairs.join(', ')}}`;
  }

  override hash(): unknown {
    return {};
  }

  override size(): number {
    return this.#entries.size;
  }

  override items(): Iterable<Value> {
    return Array.from(this.entries(), ([key]) => key);
  }

  override item(key: Value, meter: Meter): Optional {
    return this.get(key, meter);
  }
}

/** Python's `range`: evenly spaced integers, computed on demand. */
export class Range extends TemplateObject {
  readonly typeName = 'range';
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly length: number;

  constructor(start: number, stop: number, step: number) {
    super();
    this.start = start;
    this.step = step;
    this.stop = stop;
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }

  print(): string {
    const { start, stop, step } = this;
    return step === 1 ? `range(${start}, ${stop})` : `range(${start}, ${stop}, ${step})`;
  }

  override size(): number {
    return this.length;
  }

  override items(meter: Meter): readonly Value[] {
    meter.chargeItems(this.length);
    meter.charge(this.length / 2);
    return Array.from({ length: this.length }, (_, at) => this.start + at * this.step);
  }

  override item(key: Value): Optional {
    const at = resolveIndex(key, this.length);
    return at === undefined ? undefined : this.start + at * this.step;
  }
}

/** The result of a map's `keys()`, `values()` or `items()`: `dict_keys(['a'])`. */
export class View extends FixedSequence {
  readonly typeName: string;

  constructor(kind: 'keys' | 'values' | 'items', values: readonly Value[]) {
    super(values);
    this.typeName = `dict_${kind}`;
  }

  print(meter: Meter): string {
    return `${this.typeName}([${printAll(this.values, meter)}])`;
  }
}

/** A Python iterator: yields its items once. */
export class OneTimeIterable extends TemplateObject {
  readonly typeName = 'generator';
  #values: readonly Value[];

  constructor(values: readonly Value[]) {
    super();
    this.#values = values;
  }

  print(): never {
    return securityFault('an iterator as text; add the filter list');
  }

  override items(): readonly Value[] {
    const values = this.#values;
    this.#values = [];
    return values;
  }
}

/** Named values that a loop can change: `namespace(found=false)`. */
export class Namespace extends TemplateObject {
  readonly typeName = 'Namespace';
  readonly #values: Map<string, Value>;

  constructor(values: Iterable<readonly [string, Value]>) {
    super();
    this.#values = new Map(values);
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }

  print(meter: Meter): string {
    const pairs = Array.from(this.#values, ([name, value]) => {
      meter.charge(1);
      return `${quote(name)}: ${repr(value, meter)}`;
    });
    return `<Namespace {${pairs.join(', ')}}>`;
  }

  override member(name: string): Value | undefined {
    return this.#values.get(name);
  }
}

/** The items of a list or a tuple; undefined for other values. */
export function sequenceItems(value: Value): readonly Value[] | undefined {
  return value instanceof Tuple ? value.values : isList(value) ? value : undefined;
}

/** A map from a record or made by a template. */
export type AnyMap = Dict | PlainMap;

/** The value if it is a map of either kind, else undefined. */
export function mapOf(value: Value): AnyMap | undefined {
  return value instanceof Dict ? value : plainMap(value);
}

/** The entries of a map of either kind. */
export function entriesOf(map: AnyMap, meter: Meter): Iterable<readonly [Value, Value]> {
  meter.charge(20 * (map instanceof Dict ? map.size() : meter.keysOf(map).length));
  return map instanceof Dict ? map.entries() : Object.entries(map);
}

/** The value of a map's own key; undefined if there is none. */
export function mapItem(map: AnyMap, key: Value, meter: Meter): Optional {
  if (map instanceof Dict) return map.get(key, meter);
  const name = textOf(key);
  return name !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}

/** The `Map` key for a value, equal for equal values as in Python's `dict`: `1`, `1.0` and `True` share one. */
export function hashKey(value: Value, meter: Meter): unknown {
  meter.charge(1);
  // Long keys of the same length share a hash, so the `Map` compares them in full.
  if (typeof value === 'string' && value.length > 16)
    meter.charge(value.length > 10_000 ? value.length : value.length / 16);
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof Float) return Number.isSafeInteger(value.value) ? value.value : BigInt(value.value);
  const hash = value instanceof TemplateObject ? value.hash(meter) : value;
  if (hash === null || typeof hash !== 'object' || hash instanceof TemplateObject) return hash;
  return typeFault(`unhashable type: '${typeName(value)}'`);
}
