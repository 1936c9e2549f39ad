import { createRequire } from 'node:module';
import type { AST } from '@eslint-community/regexpp';
import { type CodePointRange, codePointRanges, type PatternFlags, UntranslatablePattern } from './code-point-ranges.ts';

/** Added to a surrogate where a pattern goes by UTF-16 units: a code point that no such pattern names otherwise. */
const SURROGATE_SHIFT = 0x100000;

const require = createRequire(import.meta.url);

/**
 * Whether a text matches, told by RE2 in linear time; undefined for what RE2 cannot express, or not within its size.
 * The library is loaded here (10 ms).
 */
export function re2Test(
  { unicode, ignoreCase }: RegExp,
  pattern: AST.Pattern,
): ((text: string) => boolean) | undefined {
  if (ignoreCase) return undefined;
  try {
    const source = alternatives(pattern.alternatives, { unicode });
    const { RE2JS } = require('re2js') as typeof import('re2js');
    const compiled = RE2JS.compile(source);
    return (text) => compiled.test(unicode ? text : withoutSurrogateUnits(text));
  } catch {
    return undefined;
  }
}

/** A text as a pattern that goes by UTF-16 units reads it. */
function withoutSurrogateUnits(text: string): string {
  if (!/[\ud800-\udfff]/.test(text)) return text;
  return text.replaceAll(/[\ud800-\udfff]/g, (unit) => String.fromCodePoint(SURROGATE_SHIFT + unit.charCodeAt(0)));
}

/**
 * Alternatives of ECMA-262 in RE2's syntax. Every character class is written as its code points, so that RE2's own
 * classes and its version of Unicode play no part. Throws `UntranslatablePattern`.
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

/** RE2's `\b` knows the ASCII words of ECMA-262, and no more. */
function assertionOf(assertion: AST.Assertion): string {
  if (assertion.kind === 'start') return String.raw`\A`;
  if (assertion.kind === 'end') return String.raw`\z`;
  if (assertion.kind === 'word') return assertion.negate ? String.raw`\B` : String.raw`\b`;
  throw new UntranslatablePattern(assertion.kind);
}

/** Greedy or not decides what is matched, not whether. */
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
