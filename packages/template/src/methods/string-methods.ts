import { type Builtin, builtin, byName } from '../value/callable.ts';
import { Tuple } from '../value/collections.ts';
import { typeFault } from '../fault.ts';
import { iterate, textOf, truthy, typeName } from '../value/inspect.ts';
import type { Meter } from '../value/meter.ts';
import { index } from '../value/number.ts';
import { characters, offsetOf, textLength } from '../value/code-points.ts';
import type { Optional, Value } from '../value/value.ts';
import { CHARACTER_TESTS } from './character-tests.ts';
import { capitalize, swapCase, titleCase } from './letter-case.ts';
import { replaceText, splitLines, splitText, stripTest, stripText } from './strip-split-replace.ts';
import { translateText, translationTable } from './translate.ts';

/** An argument that must be text. */
function text(value: Optional, what = 'argument'): string {
  return textOf(value ?? null) ?? typeFault(`${what} must be str, not ${typeName(value ?? null)}`);
}

/** An argument that must be an integer. */
function count(value: Optional, otherwise: number): number {
  if (value === undefined) return otherwise;
  return index(value) ?? typeFault(`'${typeName(value)}' object cannot be interpreted as an integer`);
}

/** The part of a text between the arguments `start` and `end`, in code points, with its start index. */
function window(
  self: string,
  given: readonly Optional[],
  meter: Meter,
): { readonly part: string; readonly from: number } {
  const [, start, end] = given;
  if ((start ?? null) === null && (end ?? null) === null) return { part: self, from: 0 };
  const length = textLength(self, meter);
  const clamp = (at: number): number => Math.min(Math.max(at < 0 ? at + length : at, 0), length);
  const from = clamp(start === null ? 0 : count(start, 0));
  const to = Math.max(from, clamp(end === null ? length : count(end, length)));
  const part = self.slice(offsetOf(self, from, meter), offsetOf(self, to, meter));
  return { part, from: count(start ?? undefined, 0) > length ? -1 : from };
}

function find(self: string, given: readonly Optional[], how: { meter: Meter; last: boolean }): number {
  const { meter, last } = how;
  const { part, from } = window(self, given, meter);
  const sought = text(given[0]);
  meter.chargeSearch(part.length, sought.length);
  const at = last ? part.lastIndexOf(sought) : part.indexOf(sought);
  return at < 0 || from < 0 ? -1 : from + textLength(part.slice(0, at), meter);
}

function found(at: number): number {
  return at < 0 ? typeFault('substring not found') : at;
}

function occurrences(self: string, given: readonly Optional[], meter: Meter): number {
  const { part } = window(self, given, meter);
  const sought = text(given[0]);
  meter.chargeSearch(part.length, sought.length);
  meter.charge(part.length);
  return sought === '' ? textLength(part, meter) + 1 : part.split(sought).length - 1;
}

function hasAffix(self: string, given: readonly Optional[], how: { meter: Meter; end: boolean }): boolean {
  const { meter, end } = how;
  const { part } = window(self, given, meter);
  const affix = given[0] ?? null;
  const affixes = affix instanceof Tuple ? affix.values : [affix];
  return affixes.some((one) => (end ? part.endsWith(text(one)) : part.startsWith(text(one))));
}

function padded(
  self: string,
  given: readonly Optional[],
  where: { meter: Meter; before: (missing: number, width: number) => number },
): string {
  const width = count(given[0], 0);
  const fill = given[1] === undefined ? ' ' : text(given[1]);
  if (textLength(fill, where.meter) !== 1) typeFault('the fill character must be exactly one character long');
  const missing = Math.max(0, width - textLength(self, where.meter));
  where.meter.chargeText(self.length + missing * fill.length);
  const before = where.before(missing, width);
  return fill.repeat(before) + self + fill.repeat(missing - before);
}

function zeroFilled(self: string, width: number, meter: Meter): string {
  meter.chargeText(Math.max(width, self.length));
  const sign = /^[-+]/.exec(self)?.[0] ?? '';
  const missing = Math.max(0, width - textLength(self, meter));
  return sign + '0'.repeat(missing) + self.slice(sign.length);
}

function partition(self: string, separator: string, how: { meter: Meter; last: boolean }): Tuple {
  const { meter, last } = how;
  meter.chargeSearch(self.length, separator.length);
  if (separator === '') typeFault('empty separator');
  const at = last ? self.lastIndexOf(separator) : self.indexOf(separator);
  if (at < 0) return new Tuple(last ? ['', '', self] : [self, '', '']);
  return new Tuple([self.slice(0, at), separator, self.slice(at + separator.length)]);
}

function joinAll(self: string, list: Value, meter: Meter): string {
  const items = iterate(list, meter);
  meter.charge(3 * items.length);
  const pieces = items.map((piece, at) => text(piece, `sequence item ${at}`));
  meter.chargeParts(pieces, self.length);
  return pieces.join(self);
}

function expandTabs(self: string, size: number, meter: Meter): string {
  meter.chargeText(self.length + (self.split('\t').length - 1) * Math.max(0, size));
  meter.charge(2 * self.length);
  let column = 0;
  const expanded = characters(self, meter).map((character) => {
    if (character === '\t') {
      const width = size <= 0 ? 0 : size - (column % size);
      column += width;
      return ' '.repeat(width);
    }
    column = character === '\n' || character === '\r' ? 0 : column + 1;
    return character;
  });
  return expanded.join('');
}

/** A method that changes a text at a cost per character. */
const costly = (name: string, cost: number, change: (text: string) => string): Builtin<string> =>
  builtin(`${name}()`, (self, _given, meter) => {
    meter.charge(cost * self.length);
    return change(self);
  });

const METHODS: readonly Builtin<string>[] = [
  costly('upper', 0.25, (self) => self.toUpperCase()),
  costly('lower', 0.25, (self) => self.toLowerCase()),
  costly('casefold', 1, (self) => self.toUpperCase().toLowerCase()),
  costly('title', 4, titleCase),
  builtin('capitalize()', (self) => capitalize(self)),
  costly('swapcase', 4, swapCase),
  builtin('strip(chars?, /)', (self, [chars], meter) => stripText(self, stripTest(chars, meter), 'both')),
  builtin('lstrip(chars?, /)', (self, [chars], meter) => stripText(self, stripTest(chars, meter), 'start')),
  builtin('rstrip(chars?, /)', (self, [chars], meter) => stripText(self, stripTest(chars, meter), 'end')),
  builtin('split(sep?, maxsplit?)', (self, [sep, most], meter) =>
    splitText(self, { separator: givenSeparator(sep), most: count(most, -1), fromEnd: false }, meter),
  ),
  builtin('rsplit(sep?, maxsplit?)', (self, [sep, most], meter) =>
    splitText(self, { separator: givenSeparator(sep), most: count(most, -1), fromEnd: true }, meter),
  ),
  builtin('splitlines(keepends?)', (self, [keep], meter) => splitLines(self, truthy(keep ?? false, meter), meter)),
  builtin('replace(old, new, count?, /)', (self, [old, fresh, most], meter) =>
    replaceText(self, { old: text(old), fresh: text(fresh), most: count(most, -1) }, meter),
  ),
  builtin('find(sub, start?, end?, /)', (self, given, meter) => find(self, given, { meter, last: false })),
  builtin('rfind(sub, start?, end?, /)', (self, given, meter) => find(self, given, { meter, last: true })),
  builtin('index(sub, start?, end?, /)', (self, given, meter) => found(find(self, given, { meter, last: false }))),
  builtin('rindex(sub, start?, end?, /)', (self, given, meter) => found(find(self, given, { meter, last: true }))),
  builtin('count(sub, start?, end?, /)', (self, given, meter) => occurrences(self, given, meter)),
  builtin('startswith(prefix, start?, end?, /)', (self, given, meter) => hasAffix(self, given, { meter, end: false })),
  builtin('endswith(suffix, start?, end?, /)', (self, given, meter) => hasAffix(self, given, { meter, end: true })),
  builtin('removeprefix(prefix, /)', (self, [prefix]) =>
    self.startsWith(text(prefix)) ? self.slice(text(prefix).length) : self,
  ),
  builtin('removesuffix(suffix, /)', (self, [suffix]) =>
    text(suffix) !== '' && self.endsWith(text(suffix)) ? self.slice(0, -text(suffix).length) : self,
  ),
  builtin('partition(sep, /)', (self, [sep], meter) => partition(self, text(sep), { meter, last: false })),
  builtin('rpartition(sep, /)', (self, [sep], meter) => partition(self, text(sep), { meter, last: true })),
  builtin('join(iterable, /)', (self, [list], meter) => joinAll(self, list ?? null, meter)),
  builtin('zfill(width, /)', (self, [width], meter) => zeroFilled(self, count(width, 0), meter)),
  builtin('ljust(width, fillchar?, /)', (self, given, meter) => padded(self, given, { meter, before: () => 0 })),
  builtin('rjust(width, fillchar?, /)', (self, given, meter) => padded(self, given, { meter, before: (all) => all })),
  builtin('center(width, fillchar?, /)', (self, given, meter) =>
    // If one side gets one space more, CPython picks the left one for an odd width.
    padded(self, given, { meter, before: (all, width) => Math.floor(all / 2) + (all & width & 1) }),
  ),
  builtin('translate(table, /)', (self, [table], meter) => translateText(self, table ?? null, meter)),
  builtin('maketrans(x, y?, z?, /)', (_self, given, meter) => translationTable(given, meter)),
  builtin('expandtabs(tabsize?)', (self, [size], meter) => expandTabs(self, count(size, 8), meter)),
  ...CHARACTER_TESTS,
];

function givenSeparator(value: Optional): string | undefined {
  if (value === undefined || value === null) return undefined;
  const sep = text(value);
  return sep === '' ? typeFault('empty separator') : sep;
}

/** The methods of strings, except `format`. */
export const STRING_METHODS = byName(METHODS);
