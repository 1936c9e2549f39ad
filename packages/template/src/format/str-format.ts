import type { CallArguments } from '../value/callable.ts';
import { typeFault } from '../fault.ts';
import { escapeHtml, Markup } from '../value/markup.ts';
import type { Meter } from '../value/meter.ts';
import { repr, str } from '../value/print.ts';
import type { Value } from '../value/value.ts';
import { formatValue } from './format-value.ts';

/** How `str.format` looks up fields: through the sandbox, like all lookups. */
export interface FormatContext {
  readonly attribute: (of: Value, name: string, meter: Meter) => Value;
  readonly item: (of: Value, key: Value, meter: Meter) => Value;
  readonly meter: Meter;
  readonly html: boolean;
}

const PIECE = /([^{}]+)|\{\{|\}\}|\{([^{}:!]*)(?:!([^{}:]*))?(?::((?:[^{}]|\{[^{}]*\})*))?\}|[{}]/gu;

/** Python's `text.format(...)`. */
export function formatFields(text: string, given: CallArguments, lookups: FormatContext): string {
  const counter = { next: 0, mode: undefined as 'automatic' | 'manual' | undefined };
  let result = '';
  for (const [all, plainText, name, conversion, spec] of text.matchAll(PIECE)) {
    lookups.meter.charge(30);
    let piece: string;
    if (plainText !== undefined) piece = plainText;
    else if (all === '{{' || all === '}}') piece = all.slice(1);
    else if (name === undefined) return typeFault(`Single '${all}' encountered in format string`);
    else piece = formatField({ name, conversion, spec: spec ?? '' }, { given, lookups, counter });
    lookups.meter.chargeText(result.length + piece.length);
    result += piece;
  }
  return result;
}

interface Field {
  readonly name: string;
  readonly conversion: string | undefined;
  readonly spec: string;
}

interface FormatCall {
  readonly given: CallArguments;
  readonly lookups: FormatContext;
  readonly counter: { next: number; mode: 'automatic' | 'manual' | undefined };
}

function formatField(field: Field, around: FormatCall): string {
  const { lookups } = around;
  const value = lookUp(field.name, around);
  const spec = field.spec.replace(/\{([^{}]*)\}/g, (_all, name: string) => str(lookUp(name, around), lookups.meter));
  const converted = convert(value, field.conversion, lookups.meter);
  if (!lookups.html) return formatValue(converted, spec, lookups.meter);
  if (converted instanceof Markup && spec === '') return converted.text;
  return escapeHtml(formatValue(converted, spec, lookups.meter));
}

function convert(value: Value, conversion: string | undefined, meter: Meter): Value {
  if (conversion === undefined) return value;
  if (conversion === 's') return str(value, meter);
  return conversion === 'r' ? repr(value, meter) : typeFault(`Unknown conversion specifier '${conversion}'`);
}

function lookUp(path: string, around: FormatCall): Value {
  const { attribute, item, meter } = around.lookups;
  const match =
    /^([^.[\]]*)((?:\.[^.[\]]+|\[[^\]]+\])*)$/.exec(path) ?? typeFault(`bad field '${path}' in format string`);
  let value = argument(match[1] ?? '', around);
  for (const [, name, key] of (match[2] ?? '').matchAll(/\.([^.[\]]+)|\[([^\]]+)\]/g)) {
    if (name !== undefined) value = attribute(value, name, meter);
    else value = item(value, /^\d+$/.test(key ?? '') ? Number(key) : (key ?? ''), meter);
  }
  return value;
}

function argument(name: string, around: FormatCall): Value {
  const { given, counter } = around;
  if (name !== '' && !/^\d+$/.test(name)) {
    return (
      given.keywords.get(name) ?? (given.keywords.has(name) ? null : typeFault(`format() has no argument '${name}'`))
    );
  }
  const mode = name === '' ? 'automatic' : 'manual';
  if ((counter.mode ??= mode) !== mode) typeFault('format() mixes automatic and manual field numbering');
  const at = name === '' ? counter.next++ : Number(name);
  if (at >= given.positional.length) typeFault(`format() has no argument ${at}`);
  return given.positional[at] ?? null;
}
