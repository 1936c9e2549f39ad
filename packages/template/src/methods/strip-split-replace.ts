import { typeFault } from '../fault.ts';
import { textOf, typeName } from '../value/inspect.ts';
import { SPACE } from '../syntax/white-space.ts';
import type { Meter } from '../value/meter.ts';
import { characters } from '../value/code-points.ts';
import type { Value } from '../value/value.ts';

const ONE_SPACE = new RegExp(SPACE);
const WORDS = new RegExp(`(?:(?!${SPACE})[^])+`, 'g');
const LINE_END = String.raw`\n\v\f\r\x1c-\x1e\x85\u2028\u2029`;
const LINES = new RegExp(String.raw`([^${LINE_END}]*)(\r\n|[${LINE_END}]|$)`, 'g');

/** Whether to strip a character. */
export type StripTest = (character: string) => boolean;

const isSpace: StripTest = (character) => ONE_SPACE.test(character);

/** Strips the given characters; without them, white space. */
export function stripTest(chars: Value | undefined, meter: Meter): StripTest {
  if (chars === undefined || chars === null) {
    return (character) => {
      meter.charge(2);
      return isSpace(character);
    };
  }
  const given = textOf(chars) ?? typeFault(`strip arg must be None or str, not ${typeName(chars)}`);
  meter.charge(3 * given.length);
  const set = new Set(characters(given, meter));
  return (character) => {
    meter.charge(2);
    return set.has(character);
  };
}

/** Python's `strip`, at one end or both. */
export function stripText(text: string, strips: StripTest, where: 'both' | 'start' | 'end'): string {
  let from = 0;
  let to = text.length;
  if (where !== 'end') {
    for (let at = firstAt(text, from); at !== '' && strips(at); at = firstAt(text, from)) from += at.length;
  }
  if (where !== 'start') {
    for (let at = lastBefore(text, to); to > from && strips(at); at = lastBefore(text, to)) to -= at.length;
  }
  return text.slice(from, Math.max(from, to));
}

/** The character that begins at a position. */
function firstAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

/** The character that ends before a position. */
function lastBefore(text: string, at: number): string {
  const pair = text.slice(Math.max(0, at - 2), at);
  return (pair.codePointAt(0) ?? 0) > 0xffff ? pair : text.slice(Math.max(0, at - 1), at);
}

/** How to split a text. */
export interface SplitOptions {
  /** Undefined splits at white space. */
  readonly separator: string | undefined;
  /** The largest number of splits; negative for all. */
  readonly most: number;
  readonly fromEnd: boolean;
}

/** Python's `split` and `rsplit`. */
export function splitText(text: string, how: SplitOptions, meter: Meter): readonly string[] {
  const { separator, most, fromEnd } = how;
  meter.chargeSearch(text.length, separator?.length ?? 0);
  if (separator === undefined) {
    meter.charge(30 + 3 * text.length);
    return splitWords(text, wordSpans(text), how);
  }
  meter.charge(text.length);
  const texts = text.split(separator);
  if (most < 0 || texts.length <= most + 1) return texts;
  const cut = texts.length - most;
  return fromEnd
    ? [texts.slice(0, cut).join(separator), ...texts.slice(cut)]
    : [...texts.slice(0, most), texts.slice(most).join(separator)];
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function wordSpans(text: string): readonly Span[] {
  return Array.from(text.matchAll(WORDS), (match) => ({ from: match.index, to: match.index + match[0].length }));
}

function splitWords(text: string, spans: readonly Span[], how: SplitOptions): readonly string[] {
  const { most, fromEnd } = how;
  const word = ({ from, to }: Span): string => text.slice(from, to);
  if (most < 0 || spans.length <= most) return spans.map(word);
  if (fromEnd) {
    const last = spans[spans.length - most - 1];
    return [
      ...(last === undefined ? [] : [stripText(text.slice(0, last.to), isSpace, 'start')]),
      ...spans.slice(spans.length - most).map(word),
    ];
  }
  const first = spans[most];
  return [
    ...spans.slice(0, most).map(word),
    ...(first === undefined ? [] : [stripText(text.slice(first.from), isSpace, 'end')]),
  ];
}

/** Python's `splitlines`. */
export function splitLines(text: string, keepEnds: boolean, meter: Meter): readonly string[] {
  meter.charge(40 + 2.5 * text.length);
  const lines = Array.from(text.matchAll(LINES));
  return lines.filter(([all]) => all !== '').map(([all, line = '']) => (keepEnds ? all : line));
}

/** How to replace a part of a text. */
export interface ReplaceOptions {
  readonly old: string;
  readonly fresh: string;
  /** The largest number of replacements; negative for all. */
  readonly most: number;
}

/** Python's `replace`. */
export function replaceText(text: string, how: ReplaceOptions, meter: Meter): string {
  const { old, fresh, most } = how;
  meter.chargeSearch(text.length, old.length);
  const pieces = old === '' ? ['', ...characters(text, meter), ''] : text.split(old);
  const times = most < 0 ? pieces.length - 1 : Math.min(most, pieces.length - 1);
  meter.charge(8 + 2 * pieces.length);
  meter.chargeText(text.length + times * fresh.length);
  return [pieces.slice(0, times + 1).join(fresh), ...pieces.slice(times + 1)].join(old);
}
