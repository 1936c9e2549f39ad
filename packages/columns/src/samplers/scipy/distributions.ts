import { createRequire } from 'node:module';
import { type Distribution, type Distributions, finite, finiteNotNegative } from './distribution.ts';
import { mostUsed } from './families/most-used.ts';
import type { moreDistributions } from './more-distributions.ts';

const require = createRequire(import.meta.url);

/** The other distributions, loaded when a config names one: no thread pays for them at its start. */
function loadMore(): Distributions {
  // The build leads this to a file of its own.
  const loaded = require('./more-distributions.ts') as { moreDistributions: typeof moreDistributions };
  return loaded.moreDistributions;
}

/** The names of the supported distributions. */
export function distributionNames(): readonly string[] {
  return [...Object.keys(mostUsed), ...Object.keys(loadMore())];
}

/** A supported distribution, with scipy's parameter names and limits. */
export function distributionOf(name: string): Distribution | undefined {
  if (Object.hasOwn(mostUsed, name)) return mostUsed[name];
  const more = loadMore();
  return Object.hasOwn(more, name) ? more[name] : undefined;
}

/** Whether a distribution draws integers; false for an unknown one. */
export function isDiscrete(name: string): boolean {
  return distributionOf(name)?.discrete ?? false;
}

/** The optional parameters that shift and stretch. */
export function locationAndScale({ discrete }: Distribution): Distribution['shapes'] {
  return discrete ? { loc: finite } : { loc: finite, scale: finiteNotNegative };
}
