import { splitLines, splitText, stripTest, stripText } from '../methods/strip-split-replace.ts';
import { formatPercent } from '../format/percent-format.ts';
import { fixedText, formatCost } from '../format/float-text.ts';
import { builtin, type Builtin, type CallArguments, type Implementation } from '../value/callable.ts';
import { Dict, Tuple } from '../value/collections.ts';
import { securityFault, typeFault } from '../fault.ts';
import { iterate, textOf, truthy, typeName } from '../value/inspect.ts';
import { markedLike, Markup } from '../value/markup.ts';
import type { Meter } from '../value/meter.ts';
import { numeric, plain } from '../value/number.ts';
import { htmlOf } from '../operators.ts';
import { str } from '../value/print.ts';
import { textLength } from '../value/code-points.ts';
import { Undefined } from '../value/undefined.ts';
import type { Value } from '../value/value.ts';
import { attributeAccessor } from './item-accessors.ts';
import { jsonText } from './json-text.ts';
import { readPythonFloat } from './number-filters.ts';
import { integerArgument } from './text-filters.ts';

const join: Implementation<Value> = (self, [delimiter = '', attribute], meter) => {
  const pick = attributeAccessor(attribute, meter);
  const items = iterate(self, meter);
  meter.charge(4 * items.length);
  const values = items.map(pick);
  const html = meter.autoescape && (delimiter instanceof Markup || values.some((value) => value instanceof Markup));
  const read = (value: Value): string => (html ? htmlOf(value, meter) : str(value, meter));
  const between = read(delimiter);
  const texts = values.map(read);
  meter.chargeParts(texts, between.length);
  return html ? new Markup(texts.join(between)) : texts.join(between);
};

/** The JSON escapes of HTML's special characters. */
const HTML_ESCAPES = Array.from(
  "<>&'",
  (mark) => [mark, `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`] as const,
);

const toJson: Implementation<Value> = (self, [blanks = null], meter) => {
  const width = blanks === null ? undefined : (textOf(blanks) ?? ' '.repeat(checkedWidth(blanks, meter)));
  const text = jsonText(self, { indent: width, sortKeys: true }, meter);
  meter.charge(text.length / 2);
  return new Markup(HTML_ESCAPES.reduce((html, [mark, escape]) => html.replaceAll(mark, escape), text));
};

function checkedWidth(value: Value, meter: Meter): number {
  const width = Math.max(0, integerArgument(value, 0));
  meter.chargeText(width);
  return width;
}

const indent: Implementation<Value> = (self, [width = 4, first = false, blank = false], meter) => {
  const margin = textOf(width) ?? ' '.repeat(checkedWidth(width, meter));
  if (self instanceof Undefined) return self.fail();
  const whole = textOf(self) ?? typeFault(`indent needs text, not ${typeName(self)}`);
  const lines = splitLines(`${whole}\n`, false, meter);
  meter.charge(4 * lines.length);
  meter.chargeParts(lines, margin.length + 1);
  const everyLine = truthy(blank, meter);
  const indented = lines.map((line, at) => (at > 0 && (line !== '' || everyLine) ? margin + line : line));
  return markedLike(self, (truthy(first, meter) ? margin : '') + indented.join('\n'));
};

const center: Implementation<Value> = (self, given, meter) => {
  const text = str(self, meter);
  const width = integerArgument(given[0], 80);
  const missing = Math.max(0, width - textLength(text, meter));
  meter.chargeText(text.length + missing);
  const before = Math.floor(missing / 2) + (missing & width & 1);
  return ' '.repeat(before) + text + ' '.repeat(missing - before);
};

const SIZES = 'kMGTPEZY';

const fileSize: Implementation<Value> = (self, given, meter) => {
  if (self instanceof Undefined) return self.fail();
  const text = textOf(self);
  const number = text === undefined ? numeric(self) : readPythonFloat(text);
  const bytes = plain(number ?? typeFault('filesizeformat needs a number'));
  meter.charge(formatCost(bytes) + 100);
  const binary = truthy(given[0] ?? false, meter);
  const base = binary ? 1024 : 1000;
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  const found = Array.from(SIZES).findIndex((_, at) => bytes < base ** (at + 2));
  const at = found < 0 ? SIZES.length - 1 : found;
  const letter = SIZES.charAt(at);
  return `${fixedText((base * bytes) / base ** (at + 2), 1)} ${binary ? `${letter.toUpperCase()}iB` : `${letter}B`}`;
};

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['nbsp', '\u00a0'],
  ['#34', '"'],
  ['#39', "'"],
]);

/** Removes every part between two marks, with the marks. */
function withoutMarked(text: string, open: string, close: string): string {
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
  const bare = withoutMarked(withoutMarked(text, '<!--', '-->'), '<', '>');
  const words = splitText(bare, { separator: undefined, most: -1, fromEnd: false }, meter).join(' ');
  return words.replaceAll(/&(#?\w+);?/g, (all, name: string) => {
    if (!all.endsWith(';')) return all;
    return ENTITIES.get(name) ?? securityFault(`the filter 'striptags' on the entity &${name};`);
  });
}

function formatted(self: Value, { positional, keywords }: CallArguments, meter: Meter): Value {
  if (positional.length > 0 && keywords.size > 0)
    typeFault("can't handle positional and keyword arguments at the same time");
  const text = self instanceof Markup ? self : str(self, meter);
  return formatPercent(text, keywords.size === 0 ? new Tuple(positional) : Dict.of(keywords, meter), meter);
}

/** The filters on text for native templates only. */
export const NATIVE_TEXT_FILTERS: readonly Builtin<Value>[] = [
  builtin('join(d?, attribute?)', join),
  builtin('tojson(indent?)', toJson),
  builtin('indent(width?, first?, blank?)', indent),
  builtin('center(width?)', center),
  builtin('filesizeformat(binary?)', fileSize),
  builtin('striptags()', (self, _given, meter) => stripTags(self, meter)),
  builtin('safe()', (self, _given, meter) => new Markup(str(self, meter))),
  builtin('wordcount()', (self, _given, meter) => {
    const text = stripText(str(self, meter), stripTest(undefined, meter), 'both');
    meter.chargeText(text.length);
    meter.charge(2 * text.length);
    return text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0;
  }),
  { name: 'format', call: formatted },
];
