interface Sampled {
  readonly name: string;
  readonly columnType: 'sampler';
  readonly samplerType: string;
  readonly params: unknown;
}

const sampled = (name: string, samplerType: string, params: unknown): Sampled => ({
  name,
  columnType: 'sampler',
  samplerType,
  params,
});

/** Three uniform, two gaussian, one bernoulli and two category columns. */
export const EIGHT_COLUMNS: readonly Sampled[] = [
  sampled('u0', 'uniform', { low: 0, high: 1 }),
  sampled('u1', 'uniform', { low: -5, high: 10 }),
  sampled('u2', 'uniform', { low: 0, high: 1000 }),
  sampled('g0', 'gaussian', { mean: 0, stddev: 1 }),
  sampled('g1', 'gaussian', { mean: 50, stddev: 12 }),
  sampled('b', 'bernoulli', { p: 0.3 }),
  sampled('c0', 'category', { values: ['kelp', 'dulse', 'laver', 'wrack'], weights: [4, 3, 2, 1] }),
  sampled('c1', 'category', { values: ['north', 'east', 'south'] }),
];

/** Made-up people alone. */
export const PEOPLE: readonly Sampled[] = [sampled('person', 'person_from_faker', { locale: 'en_US' })];
