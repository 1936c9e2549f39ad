/** The condition on a parameter, and its wording after "must be". */
interface Rule {
  readonly says: string;
  readonly holds: (value: number) => boolean;
}

/** Parameter values by name. */
type Numbers = Readonly<Record<string, number>>;

/** A distribution of `scipy.stats`: its shape parameters, all required, and the condition between them. */
export interface Distribution {
  /** Whether it draws integers and has no `scale`. */
  readonly discrete: boolean;
  readonly shapes: Readonly<Record<string, Rule>>;
  readonly together?: { readonly says: string; readonly holds: (numbers: Numbers) => boolean };
}

const real: Rule = { says: 'a number', holds: (value) => !Number.isNaN(value) };
const finite: Rule = { says: 'a finite number', holds: Number.isFinite };
const positive: Rule = {
  says: 'a finite number above 0',
  holds: (value) => Number.isFinite(value) && value > 0,
};
const positiveOrInfinite: Rule = { says: 'above 0', holds: (value) => value > 0 };
const finiteNotNegative: Rule = {
  says: 'a finite number of 0 or more',
  holds: (value) => Number.isFinite(value) && value >= 0,
};
const aboveOne: Rule = { says: 'a finite number above 1', holds: (value) => Number.isFinite(value) && value > 1 };
const share: Rule = { says: 'between 0 and 1', holds: (value) => value >= 0 && value <= 1 };
const positiveShare: Rule = { says: 'above 0 and at most 1', holds: (value) => value > 0 && value <= 1 };
const integer: Rule = {
  says: 'an integer from -2^53 to 2^53',
  holds: (value) => Number.isInteger(value) && Math.abs(value) <= 2 ** 53,
};
const count: Rule = {
  says: 'an integer from 0 to 2^53',
  holds: (value) => integer.holds(value) && value >= 0,
};
const positiveCount: Rule = {
  says: 'an integer from 1 to 2^53',
  holds: (value) => integer.holds(value) && value > 0,
};

type Shapes = Distribution['shapes'];

const continuous = (shapes: Shapes = {}): Distribution => ({ discrete: false, shapes });
const discrete = (shapes: Shapes): Distribution => ({ discrete: true, shapes });

const below = (low: string, high: string): NonNullable<Distribution['together']> => ({
  says: `'${low}' must be below '${high}'`,
  holds: ({ [low]: first = NaN, [high]: last = NaN }) => first < last,
});

/** The supported distributions, with scipy's parameter names and limits. */
const DISTRIBUTIONS: Readonly<Record<string, Distribution>> = {
  norm: continuous(),
  lognorm: continuous({ s: positive }),
  expon: continuous(),
  gamma: continuous({ a: positive }),
  beta: continuous({ a: positive, b: positive }),
  uniform: continuous(),
  triang: continuous({ c: share }),
  weibull_min: continuous({ c: positive }),
  pareto: continuous({ b: positive }),
  chi2: continuous({ df: positive }),
  t: continuous({ df: positiveOrInfinite }),
  f: continuous({ dfn: positive, dfd: positive }),
  cauchy: continuous(),
  laplace: continuous(),
  logistic: continuous(),
  gumbel_r: continuous(),
  rayleigh: continuous(),
  truncnorm: { ...continuous({ a: real, b: real }), together: below('a', 'b') },
  poisson: discrete({ mu: finiteNotNegative }),
  binom: discrete({ n: count, p: share }),
  nbinom: discrete({ n: positive, p: positiveShare }),
  geom: discrete({ p: positiveShare }),
  randint: { ...discrete({ low: integer, high: integer }), together: below('low', 'high') },
  hypergeom: {
    ...discrete({ M: positiveCount, n: count, N: count }),
    together: {
      says: "'n' and 'N' must be at most 'M'",
      holds: ({ M = 0, n = 0, N = 0 }) => n <= M && N <= M,
    },
  },
  zipf: discrete({ a: aboveOne }),
  bernoulli: discrete({ p: share }),
};

/** The supported distributions. */
export const distributionNames: readonly string[] = Object.keys(DISTRIBUTIONS);

export function distributionOf(name: string): Distribution | undefined {
  return Object.hasOwn(DISTRIBUTIONS, name) ? DISTRIBUTIONS[name] : undefined;
}

/** Whether a distribution draws integers; false for an unknown one. */
export function isDiscrete(name: string): boolean {
  return distributionOf(name)?.discrete ?? false;
}

/** The optional parameters that shift and stretch. */
export function locationAndScale({ discrete: stepped }: Distribution): Shapes {
  return stepped ? { loc: finite } : { loc: finite, scale: finiteNotNegative };
}
