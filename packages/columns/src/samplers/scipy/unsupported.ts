/**
 * The distributions of scipy.stats of a single number that have neither a closed form nor a stable search, with the
 * supported one that resembles them most.
 */
const NEAREST: Readonly<Record<string, string | undefined>> = {
  gausshyper: 'beta',
  genhyperbolic: 'johnsonsu',
  geninvgauss: 'invgauss',
  ksone: undefined,
  kstwo: 'kstwobign',
  landau: 'moyal',
  levy_stable: 'levy',
  nchypergeom_wallenius: 'nchypergeom_fisher',
  nct: 't',
  norminvgauss: 'johnsonsu',
  poisson_binom: 'binom',
  skewnorm: 'exponnorm',
  studentized_range: undefined,
  vonmises: 'wrapcauchy',
  vonmises_line: 'wrapcauchy',
};

/** The distributions of scipy.stats of vectors and matrices. */
const MULTIVARIATE: readonly string[] = [
  'dirichlet',
  'dirichlet_multinomial',
  'invwishart',
  'matrix_normal',
  'matrix_t',
  'multinomial',
  'multivariate_hypergeom',
  'multivariate_normal',
  'multivariate_t',
  'normal_inverse_gamma',
  'ortho_group',
  'random_correlation',
  'random_table',
  'special_ortho_group',
  'uniform_direction',
  'unitary_group',
  'vonmises_fisher',
  'wishart',
];

/** The distributions of single numbers that scipy has and this sampler does not, in alphabetical order. */
export const unsupportedNames: readonly string[] = Object.keys(NEAREST);

/** Why a distribution of scipy.stats is not supported and what to use instead; undefined for other names. */
export function unsupported(name: string): { readonly message: string; readonly remedy: string } | undefined {
  if (MULTIVARIATE.includes(name)) {
    const message = `the distribution '${name}' of scipy draws several numbers at once, and a cell holds one.`;
    return { message, remedy: 'Use one column for each number, with a distribution of single numbers.' };
  }
  if (!Object.hasOwn(NEAREST, name)) return undefined;
  const nearest = NEAREST[name];
  const remedy = nearest === undefined ? 'Use another distribution.' : `Use a similar one, such as '${nearest}'.`;
  return { message: `the distribution '${name}' of scipy is not supported.`, remedy };
}
