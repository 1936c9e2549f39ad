import type { NumberDistribution } from '../define-sampler.ts';

/** A distribution of floats without steps, as formulas; `cdf` holds within the support, `quantile` within (0, 1). */
export interface Curve extends Pick<NumberDistribution, 'support' | 'cdf' | 'quantile'> {
  /** Draws a value, the quantile at a uniform draw unless given; NaN where it gave up, so that a quantile takes its place. */
  readonly draw?: NumberDistribution['draw'];
}
