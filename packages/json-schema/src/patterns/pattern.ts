import { DataDesignerError } from '@data-designer/core';
import type { AST } from '@eslint-community/regexpp';
import { loadLibrary } from '../load-library.ts';
import { withTimeLimit } from '../with-time-limit.ts';
import { type StepBound, stepBound, stepsFor } from './step-bound.ts';
import { re2Test } from './re2-pattern.ts';

/** A regular expression whose matching time is bounded. */
export interface Pattern {
  readonly test: (text: string) => boolean;
  /** The expression's source; ajv identifies patterns by it. */
  readonly toString: () => string;
}

type Test = Pattern['test'];

/** Most steps for JavaScript's own engine on one text: about 10 ms. */
const MOST_STEPS = 1_000_000;
/** Most steps per character for a pattern of linear work. */
const MOST_STEPS_EACH = 1_000;
/** Most compiled patterns that a thread caches. */
const MOST_CACHED = 1_000;

/** How long matching one text may take where the work has no bound. */
const LIMIT_MS = 1_000;

const cached = new Map<string, Pattern>();

/** Compiles a pattern of a JSON Schema by Unicode rules, or without them if it breaks those. */
export function patternOf(source: string): Pattern {
  return boundedPattern(expressionOf(source));
}

/** Bounds the matching time of an expression: linear time, or `answer/pattern-timed-out` after a second. */
export function boundedPattern(expression: RegExp): Pattern {
  const key = String(expression);
  const known = cached.get(key);
  if (known) return known;
  const pattern: Pattern = { test: testOf(expression), toString: () => key };
  if (cached.size >= MOST_CACHED) cached.clear();
  cached.set(key, pattern);
  return pattern;
}

function expressionOf(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

/** Picks JavaScript's own engine if its work is bounded, else RE2, else the own engine with a time limit. */
function testOf(expression: RegExp): Test {
  const native: Test = (text) => expression.test(text);
  if (!/[*+?{(]/.test(expression.source)) return native;
  const pattern = parsePattern(expression);
  if (pattern === undefined) return timedTest(expression);
  const bound = stepBound(pattern);
  if (isLinear(bound)) return native;
  let careful: Test | undefined;
  return (text) => {
    if (stepsFor(bound, text.length) <= MOST_STEPS) return expression.test(text);
    careful ??= carefulTest(expression, pattern);
    return careful(text);
  };
}

function isLinear(bound: StepBound): boolean {
  if (bound.degree > 1) return false;
  return bound.factor <= (bound.degree === 0 ? MOST_STEPS : MOST_STEPS_EACH);
}

function carefulTest(expression: RegExp, pattern: AST.Pattern): Test {
  return re2Test(expression, pattern) ?? splitTest(expression, pattern) ?? timedTest(expression);
}

/** Parses an expression; undefined if its syntax is newer than the parser. The first call loads the parser (5 ms). */
export function parsePattern(expression: RegExp): AST.Pattern | undefined {
  const { RegExpParser } = loadLibrary('@eslint-community/regexpp');
  const { source, unicode } = expression;
  try {
    return new RegExpParser().parsePattern(source, 0, source.length, { unicode });
  } catch {
    return undefined;
  }
}

/**
 * Splits `^(?=A)(?!B)C` into `^A`, not `^B` and `^C`, because RE2 has no lookaheads. Undefined for a pattern of another
 * form.
 */
function splitTest({ flags }: RegExp, { alternatives, raw }: AST.Pattern): Test | undefined {
  const [only, ...others] = alternatives;
  const [start, ...elements] = others.length === 0 && only ? only.elements : [];
  if (start?.type !== 'Assertion' || start.kind !== 'start' || /\\[1-9k]/.test(raw)) return undefined;
  const parts: { readonly negate: boolean; readonly pattern: Pattern }[] = [];
  let end = 0;
  for (const element of elements) {
    if (element.type !== 'Assertion' || element.kind !== 'lookahead') break;
    const source = element.alternatives.map((alternative) => alternative.raw).join('|');
    parts.push({ negate: element.negate, pattern: boundedPattern(new RegExp(`^(?:${source})`, flags)) });
    ({ end } = element);
  }
  if (parts.length === 0) return undefined;
  const rest = boundedPattern(new RegExp(`^${raw.slice(end)}`, flags));
  return (text) => parts.every(({ negate, pattern }) => pattern.test(text) !== negate) && rest.test(text);
}

/** Matches with JavaScript's own engine under a time limit; throws `answer/pattern-timed-out` beyond it. */
function timedTest(expression: RegExp): Test {
  const timedOut = () =>
    new DataDesignerError('answer/pattern-timed-out', { pattern: expression.source, limitMs: LIMIT_MS });
  return (text) => withTimeLimit(() => expression.test(text), { limitMs: LIMIT_MS, timedOut });
}
