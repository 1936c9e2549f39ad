import { DataDesignerError, type Pricing } from '@data-designer/core';
import { z } from 'zod';
import { loadDocument } from '../load-document.ts';
import { amount, pricing } from '../schemas/model-config.ts';
import { isMapping } from '../spelling.ts';
import { parseForm } from '../violations.ts';
import { litellmPrices } from './litellm-prices.ts';

/** The prices of a model at a provider; undefined if unknown. */
export type PriceOf = (provider: string, model: string) => Pricing | undefined;

/** No known prices. */
export const noPrices: PriceOf = () => undefined;

const priceList = z.strictObject({
  prices: z
    .array(
      pricing.extend({
        output: amount.describe('Per million tokens of the answer, reasoning included.'),
        model: z.string().describe('The name of the model at its provider.'),
        provider: z.string().nullable().default(null).describe('Only at this provider; at any where null.'),
      }),
    )
    .describe('One entry a model.'),
});

/** Reads our own list under `prices`, or LiteLLM's file; throws `config/unreadable` or `config/invalid`. */
export function loadPrices(path: string): PriceOf {
  const document = loadDocument(path);
  if (!isMapping(document)) throw new DataDesignerError('config/unreadable', { path, reason: 'it is not a mapping' });
  if (!Object.hasOwn(document, 'prices')) return lookup(path, litellmPrices(document));
  const entries = parseForm(priceList, document, { source: path }).prices.map(({ model, provider, ...price }) => {
    return [provider === null ? model : `${provider}/${model}`, price] as const;
  });
  return lookup(path, new Map(entries));
}

/** The price at a provider takes precedence over the general price of the model. */
function lookup(path: string, prices: ReadonlyMap<string, Pricing>): PriceOf {
  if (prices.size === 0) throw new DataDesignerError('config/unreadable', { path, reason: 'it contains no prices' });
  return (provider, model) => prices.get(`${provider}/${model}`) ?? prices.get(model);
}
