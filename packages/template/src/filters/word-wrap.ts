import { splitLines } from '../methods/strip-split-replace.ts';
import { builtin } from '../value/callable.ts';
import { typeFault } from '../fault.ts';
import { textOf, truthy, typeName } from '../value/inspect.ts';
import { str } from '../value/print.ts';
import { Undefined } from '../value/undefined.ts';
import type { Value } from '../value/value.ts';
import { integerArgument } from './text-filters.ts';

const BLANK = String.raw`\t-\r `;
const WORD = String.raw`\p{L}\p{N}_`;
const LETTER = String.raw`[\p{L}\p{Nl}\p{No}_]`;
const BEFORE_DASH = String.raw`(?<=[${WORD}!"'&.,?])`;

/** Runs of blanks, dashes between words, and words up to a hyphen: Python's `textwrap` breaks lines between them. */
const PIECES = new RegExp(
  [
    `[${BLANK}]+`,
    String.raw`${BEFORE_DASH}-{2,}(?=[${WORD}])`,
    `[^${BLANK}]+?(?:-(?:(?<=${LETTER}{2}-)|(?<=${LETTER}-${LETTER}-))(?=${LETTER}-?${LETTER})` +
      `|(?=[${BLANK}]|$)|${BEFORE_DASH}(?=-{2,}[${WORD}]))`,
  ].join('|'),
  'gu',
);
const PIECES_WITHOUT_HYPHENS = new RegExp(`[${BLANK}]+|[^${BLANK}]+`, 'gu');

/** How to break lines; the width is in characters. */
interface Wrapping {
  readonly width: number;
  readonly breakWords: boolean;
  readonly breakHyphens: boolean;
}

type Piece = readonly string[];

const isBlank = (piece: Piece): boolean => piece.join('').trim() === '';
const lengthOf = (line: readonly Piece[]): number => line.reduce((length, piece) => length + piece.length, 0);

/** Wraps one paragraph; only an unbreakable word can make a line too wide. */
function wrapped(text: string, how: Wrapping): string[] {
  const found = text.match(how.breakHyphens ? PIECES : PIECES_WITHOUT_HYPHENS) ?? [];
  const pieces: Piece[] = found.map((piece) => Array.from(piece)).toReversed();
  const lines: string[] = [];
  while (pieces.length > 0) {
    if (lines.length > 0) dropLastBlank(pieces);
    const line = takeLine(pieces, how);
    dropLastBlank(line);
    if (line.length > 0) lines.push(line.map((piece) => piece.join('')).join(''));
  }
  return lines;
}

function dropLastBlank(pieces: Piece[]): void {
  const last = pieces.at(-1);
  if (last !== undefined && isBlank(last)) pieces.pop();
}

/** Takes the pieces of one line from the end of the remaining ones. */
function takeLine(pieces: Piece[], how: Wrapping): Piece[] {
  const line: Piece[] = [];
  let length = 0;
  for (let next = pieces.at(-1); next !== undefined && length + next.length <= how.width; next = pieces.at(-1)) {
    line.push(next);
    length += next.length;
    pieces.pop();
  }
  const next = pieces.at(-1);
  if (next === undefined || next.length <= how.width) return line;
  if (how.breakWords) {
    const end = breakOf(next, how.width - lengthOf(line), how.breakHyphens);
    line.push(next.slice(0, end));
    pieces[pieces.length - 1] = next.slice(end);
  } else if (line.length === 0) {
    line.push(next);
    pieces.pop();
  }
  return line;
}

/** Where to break a word that is wider than a line: after the last hyphen that fits, else at the width. */
function breakOf(word: Piece, room: number, breakHyphens: boolean): number {
  const hyphen = breakHyphens && word.length > room ? word.slice(0, Math.max(0, room)).lastIndexOf('-') : -1;
  return hyphen > 0 && word.slice(0, hyphen).some((character) => character !== '-') ? hyphen + 1 : room;
}

/** The filter `wordwrap`. */
export const WORD_WRAP = builtin<Value>(
  'wordwrap(width?, break_long_words?, wrapstring?, break_on_hyphens?)',
  (self, [width, breakWords = true, between, breakHyphens = true], meter) => {
    if (self instanceof Undefined) return self.fail();
    const text = textOf(self) ?? typeFault(`wordwrap needs text, not ${typeName(self)}`);
    const how = {
      width: integerArgument(width, 79),
      breakWords: truthy(breakWords, meter),
      breakHyphens: truthy(breakHyphens, meter),
    };
    if (how.width <= 0) typeFault(`invalid width ${how.width} (must be > 0)`);
    const joint = between === undefined || between === null ? '\n' : str(between, meter);
    // A long word is sliced once per line, each time over its whole length.
    meter.charge(60 + text.length * (4 + Math.min(100, text.length / how.width)));
    meter.chargeText(text.length + joint.length * (1 + text.length / 2));
    return splitLines(text, false, meter)
      .map((line) => wrapped(line, how).join(joint))
      .join(joint);
  },
);
