import { MAX_VALUE_DEPTH } from '@data-designer/core';
import { limitFault } from '../fault.ts';

/** Steps that one render may take. A step is about 30 nanoseconds of work. */
const MAX_FUEL = 800_000;

/** The longest text that a render may create, in characters. */
export const MAX_TEXT = 4_000_000;

/** The longest list that a render may create. */
const MAX_ITEMS = 1_000_000;

/** The rules in which the kinds of templates differ. */
export interface Dialect {
  /** Whether printing, testing or iterating an undefined value ends the render. */
  readonly strictUndefined: boolean;
  /** Whether `a.b` finds the key before the method. */
  readonly keyFirst: boolean;
  /** The filters that templates may use. */
  readonly filters: ReadonlySet<string>;
}

/** Counts the work of one render: operations whose cost depends on data charge it here before they do the work. */
export class Meter {
  readonly dialect: Dialect;
  /** Whether to escape printed values for HTML. */
  autoescape = false;
  /** Draws floats in [0, 1) for the filter `random`, which fails without it. */
  random: (() => number) | undefined;
  #fuel = MAX_FUEL;
  #depth = 0;
  #keys: Map<object, readonly string[]> | undefined;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  charge(steps: number): void {
    this.#fuel -= steps;
    if (this.#fuel < 0) limitFault('steps of a render', MAX_FUEL);
  }

  /** Charges for creating a text of this length. */
  chargeText(length: number): void {
    if (length > MAX_TEXT) limitFault('characters of a text', MAX_TEXT);
    this.charge(1 + length / 6);
  }

  /** Charges for creating a text of these parts with `extra` characters after each. */
  chargeParts(parts: readonly string[], extra: number): void {
    let length = 0;
    for (const part of parts) length += part.length + extra;
    this.chargeText(length);
  }

  /** Charges for writing an integer in decimals, which takes quadratic time. */
  chargeDigits(value: bigint): void {
    this.charge(50 + value.toString(16).length ** 2 / 700);
  }

  /** Charges for creating a list of this length. */
  chargeItems(length: number): void {
    if (length > MAX_ITEMS) limitFault('items of a list', MAX_ITEMS);
    this.charge(3 + length);
  }

  /** Charges for a scan of a text by characters. */
  chargeScan(length: number): void {
    this.charge(1 + length / 5);
  }

  /** Charges for a search, whose worst case is the product of both lengths. */
  chargeSearch(length: number, soughtLength: number): void {
    this.charge(1 + (length / 6) * (1 + soughtLength / 64));
  }

  /** The keys of a map, charged once per render. */
  keysOf(map: object): readonly string[] {
    const known = this.#keys?.get(map);
    if (known !== undefined) return known;
    const keys = Object.keys(map);
    this.chargeItems(keys.length);
    (this.#keys ??= new Map()).set(map, keys);
    return keys;
  }

  /** Descends one level into a value, which may be deeply nested. */
  deeper<Result>(walk: () => Result): Result {
    if (this.#depth >= MAX_VALUE_DEPTH) limitFault('nested levels of a value', MAX_VALUE_DEPTH);
    this.#depth += 1;
    try {
      return walk();
    } finally {
      this.#depth -= 1;
    }
  }
}
