import { createRequire } from 'node:module';
import type { AST } from '@eslint-community/regexpp';
import { type Bound, patternWork, stepsFor } from './pattern-work.ts';
import { re2Test } from './re2-pattern.ts';
import { timedTest } from './timed-test.ts';

const require = createRequire(import.meta.url);

/** Whether a text matches. */
export interface Pattern {
  readonly test: (text: string) => boolean;
  /** The expression as it was written; ajv tells patterns apart by it. */
  readonly toString: () => string;
}

type Test = Pattern['test'];

/** Steps that JavaScript's own engine may take for one text: 10 ms at most. */
const MOST_STEPS = 1_000_000;
/** Steps for each character of a text, at most, where the work grows no faster than the text. */
const MOST_STEPS_EACH = 1_000;
/** Patterns that a thread keeps compiled. */
const MOST_KEPT = 1_000;

const kept = new Map<string, Pattern>();

/** A pattern of a JSON Schema as it is meant: by Unicode rules, or without them if it breaks those. */
export function patternOf(source: string): Pattern {
  return linearPattern(expressionOf(source));
}

/** An expression that takes no longer than its text is long, or throws `answer/pattern-timed-out`. */
export function linearPattern(expression: RegExp): Pattern {
  const key = String(expression);
  const known = kept.get(key);
  if (known) return known;
  const pattern: Pattern = { test: testOf(expression), toString: () => key };
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(key, pattern);
  return pattern;
}

function expressionOf(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

/** JavaScript's own engine where its work is bounded, else RE2, else the own engine under a time limit. */
function testOf(expression: RegExp): Test {
  const native: Test = (text) => expression.test(text);
  if (!/[*+?{(]/.test(expression.source)) return native;
  const pattern = parsePattern(expression);
  if (pattern === undefined) return timedTest(expression);
  const bound = patternWork(pattern);
  if (isLinear(bound)) return native;
  let careful: Test | undefined;
  return (text) => {
    if (stepsFor(bound, text.length) <= MOST_STEPS) return expression.test(text);
    careful ??= carefulTest(expression, pattern);
    return careful(text);
  };
}

function isLinear(bound: Bound): boolean {
  if (bound.degree > 1) return false;
  return bound.factor <= (bound.degree === 0 ? MOST_STEPS : MOST_STEPS_EACH);
}

function carefulTest(expression: RegExp, pattern: AST.Pattern): Test {
  return re2Test(expression, pattern) ?? splitTest(expression, pattern) ?? timedTest(expression);
}

/** What an expression is made of; undefined where it is newer than the parser, which is loaded here (5 ms). */
export function parsePattern(expression: RegExp): AST.Pattern | undefined {
  const { RegExpParser } = require('@eslint-community/regexpp') as typeof import('@eslint-community/regexpp');
  const { source, unicode } = expression;
  try {
    return new RegExpParser().parsePattern(source, 0, source.length, { unicode });
  } catch {
    return undefined;
  }
}

/**
 * A text matches `^(?=A)(?!B)C` if it matches `^A` and `^C`, and does not match `^B`: what RE2 cannot do in one, it
 * does in several.
 */
function splitTest({ flags }: RegExp, { alternatives, raw }: AST.Pattern): Test | undefined {
  const [start, ...elements] = alternatives.length === 1 ? alternatives[0]!.elements : [];
  if (start?.type !== 'Assertion' || start.kind !== 'start' || /\\[1-9k]/.test(raw)) return undefined;
  const end = elements.findIndex((element) => element.type !== 'Assertion' || element.kind !== 'lookahead');
  const aheads = elements.slice(0, end === -1 ? elements.length : end);
  if (aheads.length === 0) return undefined;
  const parts = aheads.map((ahead) => {
    const { alternatives: inner, negate } = ahead as AST.LookaheadAssertion;
    const source = inner.map((alternative) => alternative.raw).join('|');
    return { negate, pattern: linearPattern(new RegExp(`^(?:${source})`, flags)) };
  });
  const rest = linearPattern(new RegExp(`^${raw.slice(aheads.at(-1)!.end)}`, flags));
  return (text) => parts.every(({ negate, pattern }) => pattern.test(text) !== negate) && rest.test(text);
}
