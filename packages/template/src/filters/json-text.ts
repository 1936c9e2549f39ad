import { compareText, Float } from '@data-designer/core';
import { type AnyMap, entriesOf, mapOf, sequenceItems } from '../value/collections.ts';
import { typeFault } from '../fault.ts';
import { textOf, typeName } from '../value/inspect.ts';
import type { Meter } from '../value/meter.ts';
import { repr } from '../value/print.ts';
import { TemplateObject, type Value } from '../value/value.ts';

/** The layout of JSON text. */
export interface JsonLayout {
  /** The indentation of one level; undefined for one line. */
  readonly indent: string | undefined;
  readonly sortKeys: boolean;
  /** Whether to escape all non-ASCII characters; default true. */
  readonly ascii?: boolean;
}

/** Python's `json.dumps`. */
export function jsonText(value: Value, layout: JsonLayout, meter: Meter): string {
  return write(value, { layout, meter, level: '' });
}

interface JsonWriter {
  readonly layout: JsonLayout;
  readonly meter: Meter;
  readonly level: string;
}

function write(value: Value, writer: JsonWriter): string {
  writer.meter.charge(14);
  const text = textOf(value);
  if (text !== undefined) return quoteJson(text, writer);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Float)
    return numberText(value, writer);
  const items = sequenceItems(value);
  return writer.meter.deeper(() => {
    const inner = { ...writer, level: writer.level + (writer.layout.indent ?? '') };
    const parts = items?.map((item) => write(item, inner));
    if (parts !== undefined) return layOut('[]', parts, writer);
    const map = mapOf(value);
    if (map === undefined) return typeFault(`Object of type ${typeName(value)} is not JSON serializable`);
    return layOut('{}', writeEntries(map, inner), writer);
  });
}

function writeEntries(map: AnyMap, inner: JsonWriter): string[] {
  const entries = Array.from(entriesOf(map, inner.meter), ([key, value]) => [keyText(key, inner), value] as const);
  inner.meter.charge(15 * entries.length);
  if (inner.layout.sortKeys) entries.sort(([a], [b]) => compareText(a, b));
  return entries.map(([key, value]) => `${quoteJson(key, inner)}: ${write(value, inner)}`);
}

function keyText(key: Value, writer: JsonWriter): string {
  const text = textOf(key);
  if (text !== undefined) return text;
  if (key instanceof TemplateObject || (typeof key === 'object' && key !== null && !(key instanceof Float))) {
    return typeFault(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
  }
  return write(key, writer);
}

function numberText(value: number | bigint | Float, writer: JsonWriter): string {
  const text = repr(value, writer.meter);
  return { nan: 'NaN', inf: 'Infinity', '-inf': '-Infinity' }[text] ?? text;
}

function layOut(brackets: string, parts: readonly string[], writer: JsonWriter): string {
  const [open = '', close = ''] = brackets;
  const { layout, level, meter } = writer;
  meter.chargeParts(parts, level.length + 4);
  if (parts.length === 0) return brackets;
  if (layout.indent === undefined) return open + parts.join(', ') + close;
  const line = `\n${level}${layout.indent}`;
  return `${open}${line}${parts.join(`,${line}`)}\n${level}${close}`;
}

function quoteJson(text: string, { layout, meter }: JsonWriter): string {
  meter.chargeText(text.length * 2);
  meter.charge(text.length / 2);
  if (layout.ascii === false) return JSON.stringify(text);
  return JSON.stringify(text).replace(/[\x7f-\uffff]/g, (unit) =>
    unit === '\x7f' ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
