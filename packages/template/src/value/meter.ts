import { DataDesignerError, MAX_VALUE_DEPTH } from '@data-designer/core';

/** Steps that one render may take. A step is about 30 nanoseconds of work: what costs more time is charged more. */
const MAX_FUEL = 800_000;

/** The longest text that may come up on the way, in characters. */
export const MAX_TEXT = 4_000_000;

/** The longest list that may come up on the way. */
const MAX_ITEMS = 1_000_000;

/** How values behave in one render, beyond what Python fixes. */
export interface Dialect {
  /** Whether undefined values may be printed, tested and looped over. */
  readonly leniency: 'lenient' | 'strict';
  /** Whether `a.b` looks for the key before the method. */
  readonly keyFirst: boolean;
  /** The filters that may be used. */
  readonly filters: ReadonlySet<string>;
}

/**
 * What one render has left, and its dialect. Every operation whose cost depends on data is charged here before it is
 * done.
 */
export class Meter {
  readonly dialect: Dialect;
  /** Whether printed values are escaped for HTML. */
  autoescape = false;
  /** Draws for the filter `random`, floats in [0, 1); without it that filter has nothing to draw from. */
  random: (() => number) | undefined;
  #fuel = MAX_FUEL;
  #depth = 0;
  #keys: Map<object, readonly string[]> | undefined;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  charge(steps: number): void {
    this.#fuel -= steps;
    if (this.#fuel < 0) throw new DataDesignerError('template/limit', { what: 'steps of a render', limit: MAX_FUEL });
  }

  /** Charges for a text of this length that is about to be made. */
  chargeText(length: number): void {
    if (length > MAX_TEXT) throw new DataDesignerError('template/limit', { what: 'characters', limit: MAX_TEXT });
    this.charge(1 + length / 6);
  }

  /** Charges for a list of this length that is about to be made. */
  chargeItems(length: number): void {
    if (length > MAX_ITEMS) throw new DataDesignerError('template/limit', { what: 'items', limit: MAX_ITEMS });
    this.charge(3 + length);
  }

  /** Charges for going through a text character by character. */
  chargeScan(length: number): void {
    this.charge(1 + length / 5);
  }

  /** Charges for a search, which takes the product of both lengths at worst. */
  chargeSearch(length: number, soughtLength: number): void {
    this.charge(1 + (length / 6) * (1 + soughtLength / 64));
  }

  /** The keys of a map; going through them is paid once a render. */
  keysOf(map: object): readonly string[] {
    const known = this.#keys?.get(map);
    if (known !== undefined) return known;
    const keys = Object.keys(map);
    this.chargeItems(keys.length);
    (this.#keys ??= new Map()).set(map, keys);
    return keys;
  }

  /** Goes down into a value that may hold itself many times over. */
  deeper<Result>(walk: () => Result): Result {
    if (this.#depth >= MAX_VALUE_DEPTH) {
      throw new DataDesignerError('template/limit', { what: 'levels of a value', limit: MAX_VALUE_DEPTH });
    }
    this.#depth += 1;
    try {
      return walk();
    } finally {
      this.#depth -= 1;
    }
  }
}
