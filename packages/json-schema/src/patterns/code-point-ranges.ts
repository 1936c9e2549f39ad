import type { AST } from '@eslint-community/regexpp';

/** Code points from the first to the last of the range, both included. */
export type CodePointRange = readonly [first: number, last: number];

/** A pattern matches code points with the flag `u`, else UTF-16 units. */
export interface PatternFlags {
  readonly unicode: boolean;
}

/** Thrown for a part of a pattern that has no translation. */
export class UntranslatablePattern extends Error {}

const DIGITS: readonly CodePointRange[] = [[0x30, 0x39]];
const WORDS: readonly CodePointRange[] = [[0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]; // prettier-ignore
const LINE_ENDS: readonly CodePointRange[] = [[0x0a, 0x0a], [0x0d, 0x0d], [0x2028, 0x2029]]; // prettier-ignore
/** WhiteSpace and LineTerminator of ECMA-262. */
const SPACES: readonly CodePointRange[] = [
  [0x09, 0x0d], [0x20, 0x20], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a], [0x2028, 0x2029],
  [0x202f, 0x202f], [0x205f, 0x205f], [0x3000, 0x3000], [0xfeff, 0xfeff],
]; // prettier-ignore

/** The nodes of a pattern that match exactly one character. */
export type CharacterNode = AST.Character | AST.CharacterSet | AST.CharacterClass;

/** The characters that a node matches, as sorted ranges that do not touch; throws `UntranslatablePattern`. */
export function codePointRanges(node: CharacterNode, flags: PatternFlags): readonly CodePointRange[] {
  if (node.type === 'CharacterClass') {
    const members = node.elements.flatMap((element) => rangesOfElement(element, flags));
    const ranges = merged(members);
    return node.negate ? complement(ranges, flags) : ranges;
  }
  return rangesOfElement(node, flags);
}

function rangesOfElement(
  element: CharacterNode | AST.ClassRangesCharacterClassElement | AST.UnicodeSetsCharacterClassElement,
  flags: PatternFlags,
): readonly CodePointRange[] {
  if (element.type === 'Character') return [[element.value, element.value]];
  if (element.type === 'CharacterClassRange') return [[element.min.value, element.max.value]];
  if (element.type === 'CharacterSet') return rangesOfSet(element, flags);
  throw new UntranslatablePattern(`A pattern may not hold ${element.type}.`);
}

function rangesOfSet(set: AST.CharacterSet, flags: PatternFlags): readonly CodePointRange[] {
  if (set.kind === 'any') return complement(LINE_ENDS, flags);
  if (set.kind === 'property') return propertyRanges(set.raw);
  const ranges = { digit: DIGITS, word: WORDS, space: SPACES }[set.kind];
  return set.negate ? complement(ranges, flags) : ranges;
}

function merged(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
  const result: [number, number][] = [];
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    const previous = result.at(-1);
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else result.push([first, last]);
  }
  return result;
}

function complement(ranges: readonly CodePointRange[], { unicode }: PatternFlags): readonly CodePointRange[] {
  const result: CodePointRange[] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next) result.push([next, first - 1]);
    next = last + 1;
  }
  const highest = unicode ? 0x10ffff : 0xffff;
  if (next <= highest) result.push([next, highest]);
  return result;
}

const properties = new Map<string, readonly CodePointRange[]>();

/** The code points of `\p{…}` in this Node's version of Unicode, searched once per thread. */
function propertyRanges(escape: string): readonly CodePointRange[] {
  const known = properties.get(escape) ?? merged([...foundRanges(escape)]);
  properties.set(escape, known);
  return known;
}

/** A block holds high surrogates or low ones, never both: adjacent ones would form pairs. */
const BLOCK = 0x400;

function* foundRanges(escape: string): Generator<CodePointRange> {
  const runs = new RegExp(`${escape}+`, 'gu');
  for (let first = 0; first <= 0x10ffff; first += BLOCK) {
    const units = first > 0xffff ? 2 : 1;
    const text = String.fromCodePoint(...Array.from({ length: BLOCK }, (_, index) => first + index));
    for (const { 0: run, index } of text.matchAll(runs)) {
      const from = first + index / units;
      yield [from, from + run.length / units - 1];
    }
  }
}
