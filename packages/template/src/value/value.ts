import type { Float } from '@data-designer/core';
import type { Meter } from './meter.ts';

/**
 * A value that is neither JSON nor a number. Each class defines how it prints, counts and iterates; templates reach
 * nothing of it but `member` and `item`.
 */
export abstract class TemplateObject {
  /** Python's name of the type, for messages. */
  abstract readonly typeName: string;

  /** Python's `repr`. */
  abstract print(meter: Meter): string;

  /** Python's `bool`: false for an empty collection. */
  truthy(): boolean {
    return this.size() !== 0;
  }

  /** Python's `len`; undefined if it has none. */
  size(): number | undefined {
    return undefined;
  }

  /** The items in order; undefined if Python cannot iterate it. */
  items(_meter: Meter): Iterable<Value> | undefined {
    return undefined;
  }

  /** The key under which a map finds it; a plain object if Python cannot hash it. */
  hash(_meter: Meter): unknown {
    return this;
  }

  /** The value of `value.name`; undefined if there is no such attribute. */
  member(_name: string): Value | undefined {
    return undefined;
  }

  /** The value of `value[key]`; undefined if there is no such item. */
  item(_key: Value, _meter: Meter): Value | undefined {
    return undefined;
  }
}

/** A map from a record; lookups read its own properties only. */
export interface PlainMap {
  readonly [key: string]: Value;
}

/**
 * A value of a template. As in cells, an int is a safe `number` or a `bigint`, a float is any other `number` or a
 * `Float`, and lists are arrays; all values that JSON does not have are `TemplateObject`s.
 */
export type Value = null | boolean | number | bigint | string | Float | TemplateObject | readonly Value[] | PlainMap;

/** A value, or undefined for an argument that was left out or an item that does not exist. */
export type Optional = Value | undefined;

/** Whether a value is a list; unlike `Array.isArray`, it narrows read-only arrays. */
export function isList(value: Value | Iterable<Value>): value is readonly Value[] {
  return Array.isArray(value);
}
