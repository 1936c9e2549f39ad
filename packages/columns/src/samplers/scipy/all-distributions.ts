import type { Distributions } from './distribution.ts';
import { bySearch } from './families/by-search.ts';
import { mostUsed } from './families/most-used.ts';
import { ofExponentials } from './families/of-exponentials.ts';
import { ofGammas } from './families/of-gammas.ts';
import { ofIntegers } from './families/of-integers.ts';
import { ofNormals } from './families/of-normals.ts';
import { ofUniforms } from './families/of-uniforms.ts';

/** The supported distributions by scipy's names. */
export const distributions: Distributions = {
  ...mostUsed,
  ...ofUniforms,
  ...ofExponentials,
  ...ofNormals,
  ...ofGammas,
  ...bySearch,
  ...ofIntegers,
};
