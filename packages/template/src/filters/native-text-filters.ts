import { splitLines, splitText, stripText, trimmable } from '../methods/strip-split-replace.ts';
import { formatPercent } from '../format/percent.ts';
import { fixedText, formatCost } from '../format/float-text.ts';
import { builtin, type Builtin } from '../value/callable.ts';
import { Dict, Tuple } from '../value/collections.ts';
import { securityFault, typeFault } from '../value/fault.ts';
import { iterate, textOf } from '../value/iterate.ts';
import { Markup } from '../value/markup.ts';
import type { Meter } from '../value/meter.ts';
import { numeric, plain } from '../value/number.ts';
import { htmlOf } from '../value/operators.ts';
import { str } from '../value/print.ts';
import { textLength } from '../value/code-points.ts';
import { typeName } from '../value/type-name.ts';
import { truthy } from '../value/truth.ts';
import { Undefined } from '../value/undefined.ts';
import type { Value } from '../value/value.ts';
import { attributeAccessor } from './attribute-path.ts';
import { jsonText } from './json-text.ts';
import { readPythonFloat } from './number-filters.ts';
import { wholeNumber } from './text-filters.ts';

type Optional = Value | undefined;

function join(self: Value, given: readonly Optional[], meter: Meter): Value {
  const [delimiter = '', attribute] = given;
  const pick = attributeAccessor(attribute, meter);
  const items = iterate(self, meter);
  meter.charge(4 * items.length);
  const values = items.map(pick);
  const html = meter.autoescape && (delimiter instanceof Markup || values.some((value) => value instanceof Markup));
  const read = (value: Value): string => (html ? htmlOf(value, meter) : str(value, meter));
  const between = read(delimiter);
  const texts = values.map(read);
  meter.chargeText(texts.reduce((length, text) => length + text.length + between.length, 0));
  return html ? new Markup(texts.join(between)) : texts.join(between);
}

/** What means something in HTML, as JSON escapes it. */
const HIDDEN = Array.from("<>&'", (mark) => [mark, `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`] as const);

function toJson(self: Value, given: readonly Optional[], meter: Meter): Value {
  const [blanks = null] = given;
  const width = blanks === null ? undefined : (textOf(blanks) ?? ' '.repeat(checkedWidth(blanks, meter)));
  const text = jsonText(self, { indent: width, sortKeys: true }, meter);
  meter.charge(text.length / 2);
  const hidden = HIDDEN.reduce((html, [mark, escape]) => html.replaceAll(mark, escape), text);
  return new Markup(hidden);
}

function checkedWidth(value: Value, meter: Meter): number {
  const width = Math.max(0, wholeNumber(value, 0));
  meter.chargeText(width);
  return width;
}

function indent(self: Value, given: readonly Optional[], meter: Meter): Value {
  const [width = 4, first = false, blank = false] = given;
  const margin = textOf(width) ?? ' '.repeat(checkedWidth(width, meter));
  if (self instanceof Undefined) return self.fail();
  const whole = textOf(self) ?? typeFault(`indent needs text, not ${typeName(self)}`);
  const lines = splitLines(`${whole}\n`, false, meter);
  meter.charge(4 * lines.length);
  meter.chargeText(lines.reduce((length, line) => length + line.length + margin.length + 1, 0));
  const everyLine = truthy(blank, meter);
  const indented = lines.map((line, at) => (at > 0 && (line !== '' || everyLine) ? margin + line : line));
  const text = (truthy(first, meter) ? margin : '') + indented.join('\n');
  return self instanceof Markup ? new Markup(text) : text;
}

function center(self: Value, given: readonly Optional[], meter: Meter): Value {
  const text = str(self, meter);
  const width = wholeNumber(given[0], 80);
  const missing = Math.max(0, width - textLength(text, meter));
  meter.chargeText(text.length + missing);
  const before = Math.floor(missing / 2) + (missing & width & 1);
  return ' '.repeat(before) + text + ' '.repeat(missing - before);
}

const SIZES = ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y'];

function fileSize(self: Value, given: readonly Optional[], meter: Meter): Value {
  if (self instanceof Undefined) return self.fail();
  const text = textOf(self);
  const number = text === undefined ? numeric(self) : readPythonFloat(text);
  const bytes = plain(number ?? typeFault('filesizeformat needs a number'));
  meter.charge(formatCost(bytes) + 100);
  const binary = truthy(given[0] ?? false, meter);
  const base = binary ? 1024 : 1000;
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  const found = SIZES.findIndex((_, at) => bytes < base ** (at + 2));
  const at = found < 0 ? SIZES.length - 1 : found;
  const letter = SIZES[at] as string;
  return `${fixedText((base * bytes) / base ** (at + 2), 1)} ${binary ? `${letter.toUpperCase()}iB` : `${letter}B`}`;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['nbsp', '\u00a0'],
  ['#34', '"'],
  ['#39', "'"],
]);

/** A text without all that stands between two marks, the marks included. */
function without(text: string, open: string, close: string): string {
  let kept = '';
  for (let at = 0; ;) {
    const from = text.indexOf(open, at);
    const to = from < 0 ? -1 : text.indexOf(close, from);
    if (to < 0) return kept + text.slice(at);
    kept += text.slice(at, from);
    at = to + close.length;
  }
}

function stripTags(self: Value, meter: Meter): Value {
  const text = str(self, meter);
  meter.chargeText(text.length);
  meter.charge(3 * text.length);
  const bare = without(without(text, '<!--', '-->'), '<', '>');
  const words = splitText(bare, { separator: undefined, most: -1, fromEnd: false }, meter).join(' ');
  return words.replaceAll(/&(#?\w+);?/g, (all, name: string) => {
    if (!all.endsWith(';')) return all;
    return ENTITIES.get(name) ?? securityFault(`the filter 'striptags' on the entity &${name};`);
  });
}

function formatted(
  self: Value,
  given: { positional: readonly Value[]; keywords: ReadonlyMap<string, Value> },
  meter: Meter,
): Value {
  const { positional, keywords } = given;
  if (positional.length > 0 && keywords.size > 0)
    typeFault("can't handle positional and keyword arguments at the same time");
  const text = self instanceof Markup ? self : str(self, meter);
  if (keywords.size === 0) return formatPercent(text, new Tuple(positional), meter);
  const named = new Dict();
  for (const [name, value] of keywords) named.set(name, value, meter);
  return formatPercent(text, named, meter);
}

/** The filters on text that secure templates do not have. */
export const NATIVE_TEXT_FILTERS: readonly Builtin<Value>[] = [
  builtin('join(d?, attribute?)', join),
  builtin('tojson(indent?)', toJson),
  builtin('indent(width?, first?, blank?)', indent),
  builtin('center(width?)', center),
  builtin('filesizeformat(binary?)', fileSize),
  builtin('striptags()', (self, _given, meter) => stripTags(self, meter)),
  builtin('safe()', (self, _given, meter) => new Markup(str(self, meter))),
  builtin('wordcount()', (self, _given, meter) => {
    const text = stripText(str(self, meter), trimmable(undefined, meter), 'both');
    meter.chargeText(text.length);
    meter.charge(2 * text.length);
    return text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0;
  }),
  { name: 'format', call: formatted },
];
