import type { Float } from '@data-designer/core';
import type { Meter } from './meter.ts';

/**
 * A value that is neither JSON nor a number: each kind says itself how it prints, counts and iterates. FormatContext see
 * nothing of it but what `member` and `item` give.
 */
export abstract class TemplateObject {
  /** Python's name of the type, for messages. */
  abstract readonly typeName: string;

  /** Python's `repr`. */
  abstract print(meter: Meter): string;

  truthy(_meter: Meter): boolean {
    return true;
  }

  /** How many items, or undefined where there is no such number. */
  size(): number | undefined {
    return undefined;
  }

  /** Its items in order, or undefined where it cannot be iterated. */
  items(_meter: Meter): Iterable<Value> | undefined {
    return undefined;
  }

  /** What stands for it as the key of a map, or undefined where it cannot be one. */
  hash(_meter: Meter): unknown {
    return this;
  }

  /** What `value.name` gives, or undefined where there is no such attribute. */
  member(_name: string): Value | undefined {
    return undefined;
  }

  /** What `value[key]` gives, or undefined where there is no such item. */
  item(_key: Value, _meter: Meter): Value | undefined {
    return undefined;
  }
}

/** A map as records hold it; lookups go to its own properties only. */
export interface PlainMap {
  readonly [key: string]: Value;
}

/**
 * What a template works with. As in cells, an int is a safe `number` or a `bigint`, a float is a `number` that is no
 * safe integer or a `Float`; lists are arrays; all that JSON does not have is a `TemplateObject`.
 */
export type Value = null | boolean | number | bigint | string | Float | TemplateObject | readonly Value[] | PlainMap;
