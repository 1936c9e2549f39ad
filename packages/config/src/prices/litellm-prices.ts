import type { Pricing } from '@data-designer/core';
import { isMapping, type Mapping } from '../spelling.ts';

const MILLION = 1e6;

/** The entry that explains the format. */
const EXPLANATION = 'sample_spec';

/** The prices in LiteLLM's `model_prices_and_context_window.json`, by name, or by provider and name. */
export function litellmPrices(document: Mapping): ReadonlyMap<string, Pricing> {
  const prices = new Map<string, Pricing>();
  for (const [name, entry] of Object.entries(document)) {
    const price = name === EXPLANATION || !isMapping(entry) ? undefined : priceOf(entry);
    if (price) prices.set(name, price);
  }
  return prices;
}

function priceOf(entry: Mapping): Pricing | undefined {
  const input = numberAt(entry, 'input_cost_per_token');
  const output = numberAt(entry, 'output_cost_per_token');
  const image = numberAt(entry, 'output_cost_per_image');
  if (input === undefined && output === undefined && image === undefined) return undefined;
  const cached = numberAt(entry, 'cache_read_input_token_cost');
  return {
    input: perMillion(input ?? 0),
    output: perMillion(output ?? 0),
    cachedInput: cached === undefined ? null : perMillion(cached),
    image: image ?? null,
  };
}

/** Converts 2.5e-6 per token to 2.5 per million, without rounding errors. */
function perMillion(perToken: number): number {
  return Number((perToken * MILLION).toPrecision(12));
}

function numberAt(entry: Mapping, key: string): number | undefined {
  const value = entry[key];
  const number = typeof value === 'object' && value !== null ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}
