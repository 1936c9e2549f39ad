"""Prints quantiles of scipy.stats as JSON, one line for each distribution and set of parameters."""

import json
import sys
import warnings

import mpmath as mp
import numpy as np
from scipy import stats

warnings.simplefilter("ignore")
mp.mp.dps = 40

PROBABILITIES = [1e-10, 1e-5, 0.01, 0.2, 0.5, 0.7, 0.95, 1 - 1e-5, 1 - 1e-10]

CASES = {
    "alpha": [{"a": 0.5}, {"a": 3.57}, {"a": 12}],
    "anglit": [{}],
    "arcsine": [{}],
    "argus": [{"chi": 0.1}, {"chi": 1}, {"chi": 5}],
    "betaprime": [{"a": 5, "b": 6}, {"a": 0.3, "b": 0.8}],
    "bradford": [{"c": 0.299}, {"c": 50}],
    "burr": [{"c": 10.5, "d": 4.3}, {"c": 0.7, "d": 0.2}],
    "burr12": [{"c": 10, "d": 4}, {"c": 0.7, "d": 0.2}],
    "chi": [{"df": 1}, {"df": 78}],
    "cosine": [{}],
    "crystalball": [{"beta": 2, "m": 3}, {"beta": 0.3, "m": 1.5}],
    "dgamma": [{"a": 1.1}, {"a": 0.2}],
    "dpareto_lognorm": [{"u": 3, "s": 1.2, "a": 1.5, "b": 2}, {"u": -1, "s": 0.2, "a": 8, "b": 0.5}],
    "dweibull": [{"c": 2.07}, {"c": 0.4}],
    "erlang": [{"a": 3}],
    "exponnorm": [{"K": 1.5}, {"K": 0.1}, {"K": 40}],
    "exponpow": [{"b": 2.7}, {"b": 0.3}],
    "exponweib": [{"a": 2.89, "c": 1.95}, {"a": 0.2, "c": 0.6}],
    "fatiguelife": [{"c": 29}, {"c": 0.3}],
    "fisk": [{"c": 3.09}, {"c": 0.5}],
    "foldcauchy": [{"c": 0}, {"c": 4.72}],
    "foldnorm": [{"c": 0}, {"c": 1.95}, {"c": 12}],
    "genexpon": [{"a": 9.13, "b": 16.2, "c": 3.28}, {"a": 0.01, "b": 2, "c": 0.5}],
    "genextreme": [{"c": -0.1}, {"c": 0}, {"c": 0.8}],
    "gengamma": [{"a": 4.42, "c": 3.12}, {"a": 1.5, "c": -2}, {"a": 0.3, "c": 0.7}],
    "genhalflogistic": [{"c": 0.773}, {"c": 0.01}],
    "genlogistic": [{"c": 0.412}, {"c": 6}],
    "gennorm": [{"beta": 1.3}, {"beta": 0.4}, {"beta": 8}],
    "genpareto": [{"c": 0.1}, {"c": 0}, {"c": -0.7}],
    "gibrat": [{}],
    "gompertz": [{"c": 0.947}, {"c": 1e-3}],
    "gumbel_l": [{}],
    "halfcauchy": [{}],
    "halfgennorm": [{"beta": 0.675}, {"beta": 4}],
    "halflogistic": [{}],
    "halfnorm": [{}],
    "hypsecant": [{}],
    "invgamma": [{"a": 4.07}, {"a": 0.4}],
    "invgauss": [{"mu": 0.145}, {"mu": 3}, {"mu": 100}],
    "invweibull": [{"c": 10.6}, {"c": 0.5}],
    "irwinhall": [{"n": 1}, {"n": 2}, {"n": 10}],
    "jf_skew_t": [{"a": 8, "b": 4}, {"a": 0.5, "b": 2}],
    "johnsonsb": [{"a": 4.32, "b": 3.18}, {"a": -1, "b": 0.4}],
    "johnsonsu": [{"a": 2.55, "b": 2.25}, {"a": -1, "b": 0.4}],
    "kappa3": [{"a": 1}, {"a": 5}, {"a": 0.2}],
    "kappa4": [{"h": 0.1, "k": 0}, {"h": 0.1, "k": 0.2}, {"h": 0, "k": -0.3}, {"h": -0.5, "k": 0.4}, {"h": 2, "k": -1}],
    "kstwobign": [{}],
    "laplace_asymmetric": [{"kappa": 2}, {"kappa": 0.3}],
    "levy": [{}],
    "levy_l": [{}],
    "loggamma": [{"c": 0.414}, {"c": 20}],
    "loglaplace": [{"c": 3.25}],
    "loguniform": [{"a": 0.01, "b": 1.25}],
    "lomax": [{"c": 1.88}, {"c": 20}],
    "maxwell": [{}],
    "mielke": [{"k": 10.4, "s": 4.6}, {"k": 0.5, "s": 2}],
    "moyal": [{}],
    "nakagami": [{"nu": 4.97}, {"nu": 0.3}],
    "ncf": [{"dfn": 27, "dfd": 27, "nc": 0.416}, {"dfn": 3, "dfd": 12, "nc": 30}],
    "ncx2": [{"df": 21, "nc": 1.06}, {"df": 1.5, "nc": 60}, {"df": 4, "nc": 0}],
    "pearson3": [{"skew": 0.1}, {"skew": -2}, {"skew": 4}, {"skew": 0}],
    "powerlaw": [{"a": 1.66}, {"a": 0.2}],
    "powerlognorm": [{"c": 2.14, "s": 0.446}, {"c": 0.2, "s": 1.5}],
    "powernorm": [{"c": 4.45}, {"c": 0.02}],
    "rdist": [{"c": 1.6}, {"c": 9}],
    "recipinvgauss": [{"mu": 0.63}, {"mu": 5}],
    "reciprocal": [{"a": 2, "b": 3000}],
    "rel_breitwigner": [{"rho": 36.5}, {"rho": 0.3}],
    "rice": [{"b": 0.775}, {"b": 0}, {"b": 9}],
    "semicircular": [{}],
    "skewcauchy": [{"a": 0.5}, {"a": -0.9}],
    "trapezoid": [{"c": 0.2, "d": 0.8}, {"c": 0, "d": 0.5}, {"c": 0.4, "d": 1}, {"c": 0.3, "d": 0.3}],
    "truncexpon": [{"b": 4.69}, {"b": 60}, {"b": 0.01}],
    "truncpareto": [{"b": 2, "c": 5}, {"b": -1.5, "c": 30}],
    "truncweibull_min": [{"c": 2.5, "a": 0.25, "b": 1.75}, {"c": 0.6, "a": 0, "b": 40}],
    "tukeylambda": [{"lam": 3.13}, {"lam": 0}, {"lam": -0.5}, {"lam": 0.14}],
    "wald": [{}],
    "weibull_max": [{"c": 2.87}, {"c": 0.4}],
    "wrapcauchy": [{"c": 0.0311}, {"c": 0.9}],
    "betabinom": [{"n": 5, "a": 2.3, "b": 0.63}, {"n": 300, "a": 0.5, "b": 0.4}, {"n": 1000, "a": 20, "b": 500}],
    "betanbinom": [{"n": 5, "a": 9.3, "b": 1}, {"n": 40, "a": 12, "b": 30}],
    "boltzmann": [{"lambda_": 1.4, "N": 19}, {"lambda_": 1e-3, "N": 200}],
    "dlaplace": [{"a": 0.8}, {"a": 1e-3}],
    "logser": [{"p": 0.6}, {"p": 0.999}],
    "nchypergeom_fisher": [{"M": 140, "n": 80, "N": 60, "odds": 0.5}, {"M": 4000, "n": 900, "N": 1500, "odds": 3}],
    "nhypergeom": [{"M": 20, "n": 7, "r": 8}, {"M": 900, "n": 300, "r": 5}],
    "planck": [{"lambda_": 0.51}, {"lambda_": 1e-4}],
    "skellam": [{"mu1": 15, "mu2": 8}, {"mu1": 0.2, "mu2": 40}],
    "yulesimon": [{"alpha": 11}, {"alpha": 3}],
    "zipfian": [{"a": 1.25, "n": 10}, {"a": 0, "n": 70}, {"a": 1, "n": 3000}, {"a": 3, "n": 500}],
}


def normal_laplace(z, s, a, b):
    """The probability of at most z under a normal value plus exponential ones of rates a s and -b s."""
    tilted = lambda u: mp.exp((u * u - z * z) / 2) * mp.ncdf(-u)
    return mp.ncdf(z) - (b * tilted(a * s - z) - a * tilted(b * s + z)) / (a + b)


def argus(x, chi):
    psi = lambda y: mp.gammainc(mp.mpf(3) / 2, 0, y * y / 2)
    return 1 - psi(chi * mp.sqrt(1 - x * x)) / psi(chi)


def crystal_ball(x, beta, m):
    edge = mp.exp(-beta * beta / 2)
    whole = (m / beta) * edge / (m - 1) + mp.sqrt(2 * mp.pi) * mp.ncdf(beta)
    if x < -beta:
        return (m / beta) ** m * edge * (m / beta - beta - x) ** (1 - m) / (m - 1) / whole
    return 1 - mp.sqrt(2 * mp.pi) * mp.ncdf(-x) / whole


def breit_wigner(x, rho):
    scale = mp.sqrt(2 / (1 + mp.sqrt(1 + 1 / rho**2))) / mp.pi
    return 2 * scale * mp.im(mp.sqrt(-1 + 1j / rho) * mp.atan(x / mp.sqrt(-rho * (rho + 1j))))


def rice(x, b):
    """The sum over Poisson counts of mean b^2 / 2."""
    mean, y = b * b / 2, x * x / 2
    total, mass, power, lower = mp.mpf(0), mp.exp(-mean), mp.exp(-y), -mp.expm1(-y)
    for n in range(1, 300):
        total += mass * lower
        mass *= mean / n
        power *= y / n
        lower -= power
    return total


def irwin_hall(x, n):
    terms = ((-1) ** k * mp.binomial(n, k) * (x - k) ** n for k in range(int(mp.floor(x)) + 1))
    return mp.fsum(terms) / mp.factorial(n)


def skew_cauchy(x, a):
    side = 1 + a * mp.sign(x)
    return (1 - a) / 2 + side * mp.atan(x / side) / mp.pi


def gamma_with_skew(x, skew):
    a = 4 / mp.mpf(skew) ** 2
    lower = mp.gammainc(a, 0, max(0, a + x * 2 / skew), regularized=True)
    return lower if skew > 0 else 1 - lower


def inverse_gauss(x, mu):
    root = mp.sqrt(x)
    return mp.ncdf((x / mu - 1) / root) + mp.exp(2 / mu) * mp.ncdf(-(x / mu + 1) / root)


# The definitions of scipy's documentation with many digits, where scipy itself has too few.
EXACT = {
    "alpha": lambda x, a: mp.ncdf(a - 1 / x) / mp.ncdf(a),
    "argus": argus,
    "crystalball": crystal_ball,
    "dpareto_lognorm": lambda x, u, s, a, b: normal_laplace((mp.log(x) - u) / s, s, a, b),
    "exponnorm": lambda x, K: mp.ncdf(x) - mp.exp(1 / (2 * K * K) - x / K) * mp.ncdf(x - 1 / K),
    "foldcauchy": lambda x, c: (mp.atan(x - c) + mp.atan(x + c)) / mp.pi,
    "foldnorm": lambda x, c: mp.ncdf(x - c) - mp.ncdf(-x - c),
    "genexpon": lambda x, a, b, c: -mp.expm1(-(a + b) * x - b * mp.expm1(-c * x) / c),
    "genhalflogistic": lambda x, c: (1 - (1 - c * x) ** (1 / c)) / (1 + (1 - c * x) ** (1 / c)),
    "halfnorm": lambda x: mp.erf(x / mp.sqrt(2)),
    "irwinhall": irwin_hall,
    "jf_skew_t": lambda x, a, b: mp.betainc(a, b, 0, (1 + x / mp.sqrt(a + b + x * x)) / 2, regularized=True),
    "levy_l": lambda x: mp.erf(1 / mp.sqrt(-2 * x)),
    "mielke": lambda x, k, s: x**k / (1 + x**s) ** (k / s),
    "pearson3": lambda x, skew: gamma_with_skew(x, skew) if skew else mp.ncdf(x),
    "powerlognorm": lambda x, c, s: 1 - mp.ncdf(-mp.log(x) / s) ** c,
    "powernorm": lambda x, c: 1 - mp.ncdf(-x) ** c,
    "recipinvgauss": lambda x, mu: 1 - inverse_gauss(1 / x, mu),
    "rel_breitwigner": breit_wigner,
    "rice": rice,
    "skewcauchy": skew_cauchy,
    "truncweibull_min": lambda x, c, a, b: mp.expm1(a**c - x**c) / mp.expm1(a**c - b**c),
}


def exact_quantile(cdf, p, frozen):
    """Bisects the values of all magnitudes, x = sinh(y), until 18 digits agree."""
    p = mp.mpf(p)
    lowest, highest = (mp.asinh(mp.mpf(float(x))) if np.isfinite(x) else mp.sign(x) * 120 for x in frozen.support())
    while highest - lowest > mp.mpf(10) ** -18 * abs(mp.tanh(lowest)) and highest - lowest > mp.mpf(10) ** -40:
        middle = (lowest + highest) / 2
        if cdf(mp.sinh(middle)) < p:
            lowest = middle
        else:
            highest = middle
    value = mp.sinh((lowest + highest) / 2)
    # A quantile of 0 has no digits to compare.
    return 0.0 if abs(value) < 1e-30 else float(value)


def scipy_quantile(frozen, p):
    """The upper half by the complement: 1 - p is exact there, and isf often has more digits than ppf."""
    if p <= 0.5:
        return float(frozen.ppf(p))
    value = float(frozen.isf(1 - p))
    # For integers isf is sometimes one too high.
    if hasattr(frozen, "pmf") and frozen.sf(value - 1) <= 1 - p:
        return value - 1
    return value


def quantile(name, params, p):
    frozen = getattr(stats, name)(**params)
    quick = scipy_quantile(frozen, p)
    if name not in EXACT:
        return quick
    exact = exact_quantile(lambda x: EXACT[name](x, **{key: mp.mpf(value) for key, value in params.items()}), p, frozen)
    # The formula is that of scipy: both agree to the digits that scipy has.
    if np.isfinite(quick) and abs(exact - quick) > 1e-4 * abs(exact) + 1e-10:
        print(f"{name} {params} at {p}: {exact} by the formula, but scipy has {quick}", file=sys.stderr)
    return exact


for name, sets in CASES.items():
    for params in sets:
        ppf = [[p, quantile(name, params, p)] for p in PROBABILITIES]
        print(json.dumps({"name": name, "params": params, "ppf": ppf}), flush=True)
