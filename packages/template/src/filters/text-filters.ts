import { capitalize } from '../methods/letter-case.ts';
import { replaceText, stripTest, stripText } from '../methods/strip-split-replace.ts';
import { SPACE } from '../syntax/white-space.ts';
import { builtin, type Builtin, type Implementation } from '../value/callable.ts';
import { entriesOf, mapOf } from '../value/collections.ts';
import { typeFault } from '../fault.ts';
import { itemsOf, pairOf, sizeOf, textOf, truthy, typeName } from '../value/inspect.ts';
import { markedLike, Markup } from '../value/markup.ts';
import type { Meter } from '../value/meter.ts';
import { index } from '../value/number.ts';
import { htmlOf } from '../operators.ts';
import { str } from '../value/print.ts';
import { offsetOf, textLength } from '../value/code-points.ts';
import type { Optional, Value } from '../value/value.ts';

/** An integer argument, or its default if left out. */
export function integerArgument(value: Optional, otherwise: number): number {
  if (value === undefined || value === null) return otherwise;
  return index(value) ?? typeFault(`'${typeName(value)}' object cannot be interpreted as an integer`);
}

/** A filter that changes the printed text of a value, at a cost per character; HTML stays HTML. */
const onText = (name: string, cost: number, change: (text: string) => string): Builtin<Value> =>
  builtin(`${name}()`, (self, _given, meter) => {
    const text = str(self, meter);
    meter.charge(1 + cost * text.length);
    return markedLike(self, change(text));
  });

const WORDS = new RegExp(String.raw`(?:(?!${SPACE})[^-({[<])+`, 'g');

function titled(text: string): string {
  return text.replace(WORDS, (word) => {
    const length = (word.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
    return word.slice(0, length).toUpperCase() + word.slice(length).toLowerCase();
  });
}

const truncate: Implementation<Value> = (self, given, meter) => {
  const length = integerArgument(given[0], 255);
  const end = given[2] === undefined ? '...' : str(given[2], meter);
  const leeway = integerArgument(given[3], 5);
  const room = length - textLength(end, meter);
  if (room < 0) typeFault(`expected length >= ${textLength(end, meter)}, got ${length}`);
  if (leeway < 0) typeFault(`expected leeway >= 0, got ${leeway}`);
  const size = sizeOf(self, meter) ?? typeFault(`object of type '${typeName(self)}' has no len()`);
  if (size <= length + leeway) return self;
  const text = textOf(self) ?? typeFault(`truncate needs text, not ${typeName(self)}`);
  const cut = text.slice(0, offsetOf(text, room, meter));
  meter.chargeText(cut.length + end.length);
  if (truthy(given[1] ?? false, meter)) return cut + end;
  const space = cut.lastIndexOf(' ');
  return (space < 0 ? cut : cut.slice(0, space)) + end;
};

function quoteUrl(value: Value, query: boolean, meter: Meter): string {
  const text = str(value, meter);
  meter.chargeText(text.length * 3);
  meter.charge(text.length);
  // UTF-8 cannot encode a lone surrogate.
  const wellFormed = text.toWellFormed() === text ? text : typeFault('surrogates not allowed');
  const quoted = encodeURIComponent(wellFormed).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return query ? quoted.replaceAll('%20', '+') : quoted.replaceAll('%2F', '/');
}

function urlEncode(self: Value, meter: Meter): Value {
  const items = textOf(self) === undefined ? itemsOf(self, meter) : undefined;
  if (items === undefined) return quoteUrl(self, false, meter);
  const map = mapOf(self);
  const pairs =
    map === undefined ? items.map((pair) => pairOf(pair, 'urlencode', meter)) : Array.from(entriesOf(map, meter));
  meter.charge(25 * pairs.length);
  return pairs.map(([key, value]) => `${quoteUrl(key, true, meter)}=${quoteUrl(value, true, meter)}`).join('&');
}

const replace: Implementation<Value> = (self, [old = null, fresh = null, most], meter) => {
  const times = integerArgument(most, -1);
  if (!meter.autoescape) {
    return replaceText(str(self, meter), { old: str(old, meter), fresh: str(fresh, meter), most: times }, meter);
  }
  const html = [self, old, fresh].some((value) => value instanceof Markup);
  const read = (value: Value): string => (html ? htmlOf(value, meter) : str(value, meter));
  const text = replaceText(read(self), { old: str(old, meter), fresh: read(fresh), most: times }, meter);
  return html ? new Markup(text) : text;
};

function escaped(self: Value, meter: Meter): Markup {
  const html = htmlOf(self, meter);
  meter.chargeScan(html.length);
  meter.chargeText(html.length);
  return new Markup(html);
}

/** The filters on text for both modes. */
export const TEXT_FILTERS: readonly Builtin<Value>[] = [
  onText('upper', 0.25, (text) => text.toUpperCase()),
  onText('lower', 0.25, (text) => text.toLowerCase()),
  onText('capitalize', 0.25, capitalize),
  onText('title', 1.6, titled),
  onText('string', 0, (text) => text),
  builtin('trim(chars?)', (self, [chars], meter) => {
    const text = stripText(str(self, meter), stripTest(chars, meter), 'both');
    return markedLike(self, text);
  }),
  builtin('replace(old, new, count?)', replace),
  builtin('truncate(length?, killwords?, end?, leeway?)', truncate),
  builtin('urlencode()', (self, _given, meter) => urlEncode(self, meter)),
  builtin('escape()', (self, _given, meter) => escaped(self, meter)),
  builtin('e()', (self, _given, meter) => escaped(self, meter)),
  builtin('forceescape()', (self, _given, meter) => escaped(str(self, meter), meter)),
];
