import { type Distribution, finite, finiteNotNegative } from './distribution.ts';
import { mostUsed } from './families/most-used.ts';
import { moreDistributions } from './more-distributions.ts';

/** The names of the supported distributions. */
export function distributionNames(): readonly string[] {
  return [...Object.keys(mostUsed), ...Object.keys(moreDistributions)];
}

/** A supported distribution, with scipy's parameter names and limits. */
export function distributionOf(name: string): Distribution | undefined {
  if (Object.hasOwn(mostUsed, name)) return mostUsed[name];
  return Object.hasOwn(moreDistributions, name) ? moreDistributions[name] : undefined;
}

/** Whether a distribution draws integers; false for an unknown one. */
export function isDiscrete(name: string): boolean {
  return distributionOf(name)?.discrete ?? false;
}

/** The optional parameters that shift and stretch. */
export function locationAndScale({ discrete }: Distribution): Distribution['shapes'] {
  return discrete ? { loc: finite } : { loc: finite, scale: finiteNotNegative };
}
