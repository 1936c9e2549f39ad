import type { AST } from '@eslint-community/regexpp';

/** An upper bound for steps over a text of n characters: factor x (n + 1) ** degree. */
export interface StepBound {
  readonly factor: number;
  readonly degree: number;
}

/** Upper bounds for a part of a pattern at one offset of a text: the ways in which it matches, and the steps. */
interface Work {
  readonly ways: StepBound;
  readonly steps: StepBound;
}

const ONE: StepBound = { factor: 1, degree: 0 };
const ENDLESS: StepBound = { factor: 1, degree: Infinity };

/**
 * An upper bound for the steps of a backtracking engine on one text: it may try each way in which one part matches with
 * each way of the next.
 */
export function stepBound({ alternatives }: Pick<AST.Pattern, 'alternatives'>): StepBound {
  const { steps } = workOfAll(alternatives);
  const isAnchored = alternatives.every(
    ({ elements: [first] }) => first?.type === 'Assertion' && first.kind === 'start',
  );
  return isAnchored ? steps : times(steps, { factor: 1, degree: 1 });
}

/** The bound for a text of this length. */
export function stepsFor({ factor, degree }: StepBound, length: number): number {
  return factor * (length + 1) ** degree;
}

function workOfAll(alternatives: readonly AST.Alternative[]): Work {
  const works = alternatives.map(({ elements }) => sequence(elements));
  return { ways: works.map(({ ways }) => ways).reduce(plus), steps: works.map(({ steps }) => steps).reduce(plus) };
}

function sequence(elements: readonly AST.Element[]): Work {
  let ways = ONE;
  let steps = ONE;
  for (const element of elements) {
    const work = workOf(element);
    steps = plus(steps, times(ways, work.steps));
    ways = times(ways, work.ways);
  }
  return { ways, steps };
}

function workOf(element: AST.Element): Work {
  if (element.type === 'Group' || element.type === 'CapturingGroup') return workOfAll(element.alternatives);
  if (element.type === 'Quantifier') return repeated(workOf(element.element), element);
  // The referenced group may be as long as the text.
  if (element.type === 'Backreference') return { ways: ONE, steps: { factor: 1, degree: 1 } };
  if (element.type !== 'Assertion' || !('alternatives' in element)) return { ways: ONE, steps: ONE };
  // The engine does not backtrack into a lookaround that has matched.
  return { ways: ONE, steps: workOfAll(element.alternatives).steps };
}

function repeated({ ways, steps }: Work, { min, max }: AST.Quantifier): Work {
  const isSure = ways.degree === 0 && ways.factor === 1;
  if (max === Infinity) {
    // Each round that can match in two ways doubles the ways.
    if (!isSure) return { ways: ENDLESS, steps: ENDLESS };
    const rounds = { factor: min + 1, degree: 1 };
    return { ways: rounds, steps: times(rounds, steps) };
  }
  const most = Math.max(max, 1);
  if (isSure) return { ways: { factor: max - min + 1, degree: 0 }, steps: times({ factor: most, degree: 0 }, steps) };
  const all = power(times(ways, { factor: 2, degree: 0 }), most);
  return { ways: all, steps: times(all, steps) };
}

function plus(a: StepBound, b: StepBound): StepBound {
  return { factor: a.factor + b.factor, degree: Math.max(a.degree, b.degree) };
}

function times(a: StepBound, b: StepBound): StepBound {
  return { factor: a.factor * b.factor, degree: a.degree + b.degree };
}

function power({ factor, degree }: StepBound, exponent: number): StepBound {
  return { factor: factor ** exponent, degree: degree * exponent };
}
