import type { PaidTokens } from './gateway.ts';
import type { Pricing } from './plan.ts';

const PER_MILLION = 1_000_000;

/** What tokens cost, in the currency of the prices. */
export function costOfTokens({ input, cachedInput, output }: PaidTokens, pricing: Pricing): number {
  const fresh = input - cachedInput;
  const sum = fresh * pricing.input + cachedInput * (pricing.cachedInput ?? pricing.input) + output * pricing.output;
  return sum / PER_MILLION;
}
