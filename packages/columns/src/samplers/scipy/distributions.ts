import { createRequire } from 'node:module';
import { type Distribution, type Distributions, finite, finiteNotNegative } from './distribution.ts';

const require = createRequire(import.meta.url);

/** Loads the distributions for a column that draws from one: no other column needs their formulas. */
function load(): Distributions {
  const loaded = require('@data-designer/columns/all-distributions') as typeof import('./all-distributions.ts');
  return loaded.distributions;
}

/** The names of the supported distributions. */
export function distributionNames(): readonly string[] {
  return Object.keys(load());
}

/** A supported distribution, with scipy's parameter names and limits. */
export function distributionOf(name: string): Distribution | undefined {
  const known = load();
  return Object.hasOwn(known, name) ? known[name] : undefined;
}

/** Whether a distribution draws integers; false for an unknown one. */
export function isDiscrete(name: string): boolean {
  return distributionOf(name)?.discrete ?? false;
}

/** The optional parameters that shift and stretch. */
export function locationAndScale({ discrete }: Distribution): Distribution['shapes'] {
  return discrete ? { loc: finite } : { loc: finite, scale: finiteNotNegative };
}
