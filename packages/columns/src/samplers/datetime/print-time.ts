import { CivilTime } from './civil-time.ts';
import { TIME_DIRECTIVES, type TimeDirective } from './time-directives.ts';
import {
  paddedPiece,
  type Padding,
  joinedPieces,
  literalPiece,
  numberPiece,
  type TimePiece,
  twoDigitsPiece,
  wordPiece,
} from './time-pieces.ts';

/** A directive: flags, width, letter. */
const DIRECTIVE = /%([-_0^#]*)(\d{0,2})(.?)/gsu;

/** The default format. */
const ISO = '%04Y-%m-%dT%H:%M:%S';

const PADS = ['0', '_', '-'] as const;

/** The flags and the width of a directive. */
interface DirectiveOptions {
  /** The padding of numbers; undefined for the directive's default. */
  readonly pad: (typeof PADS)[number] | undefined;
  readonly width: number;
  readonly upper: boolean;
  readonly otherCase: boolean;
}

/**
 * Compiles a strftime format as CPython prints it on Linux in the C locale; null means `2024-01-31T12:30:00`. Takes
 * whole seconds since 1970 in UTC, for the years 1 to 9999. Unknown directives print themselves.
 */
export function printTime(format: string | null): (seconds: number) => string {
  const time = new CivilTime();
  const { maxBytes, write } = joinedPieces(piecesOf(format ?? ISO, false));
  // One reused buffer: concatenating many pieces takes several times as long.
  const text = Buffer.alloc(maxBytes);
  return (seconds) => text.toString('utf8', 0, write(time.at(seconds), text, 0));
}

/** The first unknown directive of a format, as written; undefined if all are known. */
export function unknownDirective(format: string): string | undefined {
  for (const [written, flags = '', width = '', letter = ''] of format.matchAll(DIRECTIVE)) {
    if (!directiveOf(letter, flags + width)) return written;
  }
  return undefined;
}

function directiveOf(letter: string, manner: string): TimeDirective | undefined {
  const directive = Object.hasOwn(TIME_DIRECTIVES, letter) ? TIME_DIRECTIVES[letter] : undefined;
  return directive && 'plain' in directive && manner !== '' ? undefined : directive;
}

/** The pieces of a format; `upper` prints names in capitals. */
function piecesOf(format: string, upper: boolean): TimePiece[] {
  const pieces: TimePiece[] = [];
  let done = 0;
  const literal = (end: number): void => {
    if (end > done) pieces.push(literalPiece(format.slice(done, end)));
  };
  for (const { 0: written, 1: flags = '', 2: width = '', 3: letter = '', index } of format.matchAll(DIRECTIVE)) {
    const directive = directiveOf(letter, flags + width);
    if (!directive) continue;
    literal(index);
    pieces.push(pieceOf(directive, directiveOptions(flags, width, upper)));
    done = index + written.length;
  }
  literal(format.length);
  return pieces;
}

/** The last of several padding flags wins. */
function directiveOptions(flags: string, width: string, upper: boolean): DirectiveOptions {
  const last = flags.replace(/[\^#]/g, '').at(-1);
  const pad = PADS.find((one) => one === last);
  return { pad, width: Number(width), upper: upper || flags.includes('^'), otherCase: flags.includes('#') };
}

function pieceOf(directive: TimeDirective, manner: DirectiveOptions): TimePiece {
  if ('number' in directive) return numberPieceOf(directive, manner);
  return paddedPiece(unpaddedPiece(directive, manner), manner.width, manner.pad === '0' ? '0' : ' ');
}

function unpaddedPiece(
  directive: Exclude<TimeDirective, { readonly number: unknown }>,
  { upper, otherCase }: DirectiveOptions,
): TimePiece {
  if ('text' in directive) return literalPiece(directive.text);
  if ('format' in directive) return joinedPieces(piecesOf(directive.format, upper));
  const { words, word, small } = directive;
  if (small) return wordPiece(otherCase ? words.map((one) => one.toLowerCase()) : words, word);
  return wordPiece(upper || otherCase ? words.map((one) => one.toUpperCase()) : words, word);
}

function numberPieceOf(
  { number, digits, pad: usual }: Extract<TimeDirective, { readonly number: unknown }>,
  { pad, width }: DirectiveOptions,
): TimePiece {
  if (pad === '-') return numberPiece(number, width, ' ');
  const padding: Padding = pad === '_' ? ' ' : (pad ?? usual ?? '0');
  if (digits === 2 && width <= 2) return twoDigitsPiece(number, padding);
  return numberPiece(number, Math.max(digits, width), padding);
}
