import type { Counts } from '../../distributions/count-distribution.ts';
import type { Curve } from '../../distributions/shift-and-scale.ts';

/** The condition on a parameter, and its wording after "must be". */
export interface Rule {
  readonly says: string;
  readonly holds: (value: number) => boolean;
}

/** Parameter values by name. */
type Numbers = Readonly<Record<string, number>>;

/** A condition between parameters, and its wording. */
interface Together {
  readonly says: string;
  readonly holds: (numbers: Numbers) => boolean;
}

/** A distribution of `scipy.stats`: its shape parameters, all required, and the condition between them. */
export type Distribution = {
  readonly shapes: Readonly<Record<string, Rule>>;
  readonly together?: Together;
} & (
  | { readonly discrete: false; readonly curve: (read: (name: string) => number) => Curve }
  /** Draws integers and has no `scale`. */
  | { readonly discrete: true; readonly counts: (read: (name: string) => number) => Counts }
);

/** Distributions by the name that scipy gives them. */
export type Distributions = Readonly<Record<string, Distribution>>;

export const real: Rule = { says: 'a number', holds: (value) => !Number.isNaN(value) };
export const finite: Rule = { says: 'a finite number', holds: Number.isFinite };
export const positive: Rule = {
  says: 'a finite number above 0',
  holds: (value) => Number.isFinite(value) && value > 0,
};
export const positiveOrInfinite: Rule = { says: 'above 0', holds: (value) => value > 0 };
export const finiteNotNegative: Rule = {
  says: 'a finite number of 0 or more',
  holds: (value) => Number.isFinite(value) && value >= 0,
};
export const finiteNotZero: Rule = {
  says: 'a finite number other than 0',
  holds: (value) => Number.isFinite(value) && value !== 0,
};
export const aboveOne: Rule = {
  says: 'a finite number above 1',
  holds: (value) => Number.isFinite(value) && value > 1,
};
export const share: Rule = { says: 'between 0 and 1', holds: (value) => value >= 0 && value <= 1 };
export const positiveShare: Rule = { says: 'above 0 and at most 1', holds: (value) => value > 0 && value <= 1 };
export const innerShare: Rule = { says: 'above 0 and below 1', holds: (value) => value > 0 && value < 1 };
export const innerSign: Rule = { says: 'above -1 and below 1', holds: (value) => value > -1 && value < 1 };
export const integer: Rule = {
  says: 'an integer from -2^53 to 2^53',
  holds: (value) => Number.isInteger(value) && Math.abs(value) <= 2 ** 53,
};
export const count: Rule = {
  says: 'an integer from 0 to 2^53',
  holds: (value) => integer.holds(value) && value >= 0,
};
export const positiveCount: Rule = {
  says: 'an integer from 1 to 2^53',
  holds: (value) => integer.holds(value) && value > 0,
};

/** An integer between two bounds, for distributions whose probabilities are sums. */
export function integerWithin(lowest: number, highest: number): Rule {
  return {
    says: `an integer from ${lowest} to ${highest}`,
    holds: (value) => Number.isInteger(value) && value >= lowest && value <= highest,
  };
}

/** The condition that one parameter is below another. */
export function below(low: string, high: string): Together {
  return {
    says: `'${low}' must be below '${high}'`,
    holds: ({ [low]: first = NaN, [high]: last = NaN }) => first < last,
  };
}

type Values<Name extends string> = Readonly<Record<Name, number>>;

/** Declares a continuous distribution by its shape parameters and its curve in the standard place and scale. */
export function continuous<Name extends string = never>(
  shapes: Readonly<Record<Name, Rule>>,
  curve: (values: Values<Name>) => Curve,
  together?: Together,
): Distribution {
  return { discrete: false, shapes, curve: (read) => curve(valuesOf(shapes, read)), ...(together && { together }) };
}

/** Declares a distribution of integers by its shape parameters. */
export function discrete<Name extends string>(
  shapes: Readonly<Record<Name, Rule>>,
  counts: (values: Values<Name>) => Counts,
  together?: Together,
): Distribution {
  return { discrete: true, shapes, counts: (read) => counts(valuesOf(shapes, read)), ...(together && { together }) };
}

function valuesOf<Name extends string>(shapes: Readonly<Record<Name, Rule>>, read: (name: string) => number) {
  // Object.keys forgets the names that the type of the shapes lists.
  return Object.fromEntries(Object.keys(shapes).map((name) => [name, read(name)])) as Values<Name>;
}
