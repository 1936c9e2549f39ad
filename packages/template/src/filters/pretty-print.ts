import { compareText } from '@data-designer/core';
import { splitLines } from '../methods/strip-split-replace.ts';
import { SPACE } from '../syntax/white-space.ts';
import { builtin } from '../value/callable.ts';
import { entriesOf, mapOf, sequenceItems, Tuple } from '../value/collections.ts';
import { compareValues } from '../value/compare.ts';
import { textOf, typeName } from '../value/inspect.ts';
import type { Meter } from '../value/meter.ts';
import { numeric } from '../value/number.ts';
import { repr } from '../value/print.ts';
import { textLength } from '../value/code-points.ts';
import { isList, type Value } from '../value/value.ts';

/** The line width of Python's `pprint`. */
const WIDTH = 80;
const PARTS = new RegExp(`(?:(?!${SPACE})[^])*${SPACE}*`, 'gu');

/** The position of a value: columns before it, columns to leave free after it, and its nesting level. */
interface PrintPosition {
  readonly indent: number;
  readonly after: number;
  readonly level: number;
}

/** Prints a value over several lines if it does not fit on one, with maps sorted by key. */
class PrettyPrinter {
  readonly #meter: Meter;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  print(value: Value, position: PrintPosition): string {
    const meter = this.#meter;
    meter.charge(12);
    const line = this.#line(value);
    meter.chargeText(line.length);
    if (textLength(line, meter) <= WIDTH - position.indent - position.after) return line;
    const inner = { ...position, level: position.level + 1 };
    return meter.deeper(() => {
      if (typeof value === 'string') return this.#text(value, inner);
      if (isList(value)) return `[${this.#items(value, inner, 1)}]`;
      if (value instanceof Tuple) {
        const end = value.values.length === 1 ? ',)' : ')';
        return `(${this.#items(value.values, inner, end.length)}${end}`;
      }
      const entries = this.#entries(value);
      return entries === undefined ? line : `{${this.#pairs(entries, inner)}}`;
    });
  }

  /** Prints a value on one line. */
  #line(value: Value): string {
    const items = sequenceItems(value);
    this.#meter.charge(8);
    return this.#meter.deeper(() => {
      if (items !== undefined) {
        const inside = this.#joined(items.map((item) => this.#line(item)));
        if (!(value instanceof Tuple)) return `[${inside}]`;
        return items.length === 1 ? `(${inside},)` : `(${inside})`;
      }
      const entries = this.#entries(value);
      if (entries === undefined) return repr(value, this.#meter);
      return `{${this.#joined(entries.map(([key, item]) => `${this.#line(key)}: ${this.#line(item)}`))}}`;
    });
  }

  #joined(parts: readonly string[]): string {
    this.#meter.charge(parts.length);
    this.#meter.chargeParts(parts, 2);
    return parts.join(', ');
  }

  #entries(value: Value): readonly (readonly [Value, Value])[] | undefined {
    const map = mapOf(value);
    if (map === undefined) return undefined;
    const meter = this.#meter;
    return Array.from(entriesOf(map, meter)).toSorted(([a], [b]) => byKey(a, b, meter));
  }

  #items(items: readonly Value[], position: PrintPosition, endLength: number): string {
    const indent = position.indent + 1;
    const lines = items.map((item, at) =>
      this.print(item, { ...position, indent, after: at === items.length - 1 ? position.after + endLength : 1 }),
    );
    return this.#lines(lines, indent);
  }

  #pairs(entries: readonly (readonly [Value, Value])[], position: PrintPosition): string {
    const indent = position.indent + 1;
    const lines = entries.map(([key, item], at) => {
      const name = this.#line(key);
      const after = at === entries.length - 1 ? position.after + 1 : 1;
      return `${name}: ${this.print(item, { ...position, indent: indent + textLength(name, this.#meter) + 2, after })}`;
    });
    return this.#lines(lines, indent);
  }

  #lines(lines: readonly string[], indent: number): string {
    this.#meter.chargeParts(lines, indent + 2);
    return lines.join(`,\n${' '.repeat(indent)}`);
  }

  /** Splits a long text into several literals, after its lines and words. */
  #text(text: string, position: PrintPosition): string {
    const alone = position.level === 1;
    const indent = position.indent + (alone ? 1 : 0);
    const chunks = this.#chunks(text, WIDTH - indent, position.after + (alone ? 1 : 0));
    if (chunks.length === 1) return repr(text, this.#meter);
    const inside = chunks.join(`\n${' '.repeat(indent)}`);
    this.#meter.chargeText(inside.length);
    return alone ? `(${inside})` : inside;
  }

  #chunks(text: string, width: number, after: number): string[] {
    const chunks: string[] = [];
    const lines = splitLines(text, true, this.#meter);
    for (const [at, line] of lines.entries()) {
      const last = at === lines.length - 1;
      const quoted = repr(line, this.#meter);
      if (textLength(quoted, this.#meter) <= width - (last ? after : 0)) chunks.push(quoted);
      else chunks.push(...this.#words(line, width, last ? after : 0));
    }
    return chunks;
  }

  #words(line: string, width: number, after: number): string[] {
    const parts = (line.match(PARTS) ?? []).filter((part) => part !== '');
    const chunks: string[] = [];
    let current = '';
    for (const [at, part] of parts.entries()) {
      const room = at === parts.length - 1 ? width - after : width;
      const quoted = repr(current + part, this.#meter);
      if (textLength(quoted, this.#meter) <= room) current += part;
      else {
        if (current !== '') chunks.push(repr(current, this.#meter));
        current = part;
      }
    }
    return current === '' ? chunks : [...chunks, repr(current, this.#meter)];
  }
}

/** Compares keys; orders keys that Python cannot compare by the names of their types. */
function byKey(a: Value, b: Value, meter: Meter): number {
  meter.charge(2);
  const [left, right] = [textOf(a), textOf(b)];
  if (left !== undefined && right !== undefined) return compareText(left, right);
  if (numeric(a) === undefined || numeric(b) === undefined) return compareText(typeName(a), typeName(b));
  return compareValues(a, b, meter);
}

/** The filter `pprint`. */
export const PRETTY_PRINT = builtin<Value>('pprint()', (self, _given, meter) =>
  new PrettyPrinter(meter).print(self, { indent: 0, after: 0, level: 0 }),
);
