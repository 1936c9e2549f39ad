import { isWebAddress } from '@data-designer/core';
import type { ModelProvider } from '../schemas/providers.ts';

/** The protocols of model providers that this version speaks. */
const SPOKEN_PROTOCOLS: readonly string[] = ['openai', 'anthropic'];

/** Why a declared model provider cannot be used, and what to do; undefined where it can. */
export function unusableProvider({
  name,
  providerType,
  endpoint,
}: ModelProvider): { readonly message: string; readonly remedy: string } | undefined {
  if (!SPOKEN_PROTOCOLS.includes(providerType)) {
    const message = `the provider '${name}' is of type '${providerType}', which this version does not speak.`;
    return { message, remedy: `Spoken: ${SPOKEN_PROTOCOLS.join(', ')}; it fits any OpenAI-compatible server.` };
  }
  if (isWebAddress(endpoint)) return undefined;
  const message = `the endpoint of the provider '${name}' is not an address.`;
  return { message, remedy: 'Expected: one that begins with http:// or https://, as https://host/v1.' };
}
