import type { AST } from '@eslint-community/regexpp';
import { loadLibrary } from '../load-library.ts';
import { type CodePointRange, codePointRanges, type PatternFlags, UntranslatablePattern } from './code-point-ranges.ts';

/** Moves a surrogate to a code point that no pattern by UTF-16 units can name. */
const SURROGATE_SHIFT = 0x100000;

/**
 * Matches in linear time with RE2; undefined if RE2 cannot express the pattern or it exceeds RE2's size. The first call
 * loads the library (10 ms).
 */
export function re2Test(
  { unicode, ignoreCase }: RegExp,
  pattern: AST.Pattern,
): ((text: string) => boolean) | undefined {
  if (ignoreCase) return undefined;
  try {
    const source = alternatives(pattern.alternatives, { unicode });
    const compiled = loadLibrary('re2js').RE2JS.compile(source);
    return (text) => compiled.test(unicode ? text : withoutSurrogateUnits(text));
  } catch {
    return undefined;
  }
}

/** Writes each surrogate as a code point of its own, for a pattern by UTF-16 units. */
function withoutSurrogateUnits(text: string): string {
  if (!/[\ud800-\udfff]/.test(text)) return text;
  return text.replaceAll(/[\ud800-\udfff]/g, (unit) => String.fromCodePoint(SURROGATE_SHIFT + unit.charCodeAt(0)));
}

/**
 * Translates ECMA-262 alternatives to RE2. Writes every character class as code points, which avoids RE2's own classes
 * and its version of Unicode. Throws `UntranslatablePattern`.
 */
function alternatives(list: readonly AST.Alternative[], flags: PatternFlags): string {
  return list.map(({ elements }) => elements.map((element) => elementOf(element, flags)).join('')).join('|');
}

function elementOf(element: AST.Element, flags: PatternFlags): string {
  switch (element.type) {
    case 'Assertion':
      return assertionOf(element);
    case 'Quantifier':
      return `(?:${elementOf(element.element, flags)})${timesOf(element)}`;
    case 'Group':
      if (element.modifiers) throw new UntranslatablePattern('Modifiers.');
      return `(?:${alternatives(element.alternatives, flags)})`;
    case 'CapturingGroup':
      return `(?:${alternatives(element.alternatives, flags)})`;
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
      return setOf(codePointRanges(element, flags), flags);
    default:
      throw new UntranslatablePattern(element.type);
  }
}

/** RE2's `\b` uses the ASCII words of ECMA-262. */
function assertionOf(assertion: AST.Assertion): string {
  if (assertion.kind === 'start') return String.raw`\A`;
  if (assertion.kind === 'end') return String.raw`\z`;
  if (assertion.kind === 'word') return assertion.negate ? String.raw`\B` : String.raw`\b`;
  throw new UntranslatablePattern(assertion.kind);
}

/** Greedy and lazy quantifiers translate alike: they differ in the match, not in whether there is one. */
function timesOf({ min, max }: AST.Quantifier): string {
  if (max === Infinity) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  return `{${min},${max}}`;
}

function setOf(ranges: readonly CodePointRange[], { unicode }: PatternFlags): string {
  const given = unicode ? ranges : ranges.flatMap(withoutSurrogates);
  if (given.length === 0) return String.raw`[^\x{0}-\x{10ffff}]`;
  return `[${given.map(([first, last]) => `\\x{${first.toString(16)}}-\\x{${last.toString(16)}}`).join('')}]`;
}

function withoutSurrogates([first, last]: CodePointRange): readonly CodePointRange[] {
  const within = (low: number, high: number, shift: number): readonly CodePointRange[] => {
    const [from, to] = [Math.max(first, low), Math.min(last, high)];
    return from <= to ? [[from + shift, to + shift]] : [];
  };
  return [...within(0, 0xd7ff, 0), ...within(0xd800, 0xdfff, SURROGATE_SHIFT), ...within(0xe000, 0xffff, 0)];
}
