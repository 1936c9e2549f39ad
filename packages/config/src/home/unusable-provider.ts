import { isWebAddress } from '@data-designer/core';
import type { ModelProvider } from '../schemas/providers.ts';

/** Why a declared model provider cannot be used, and what to do; undefined where it can. */
export function unusableProvider(
  { name, providerType, endpoint }: ModelProvider,
  protocols: readonly string[],
): { readonly message: string; readonly remedy: string } | undefined {
  if (!protocols.includes(providerType)) {
    const message = `the provider '${name}' is of type '${providerType}', which this version does not support.`;
    return { message, remedy: `Supported: ${protocols.join(', ')}; openai fits any OpenAI-compatible server.` };
  }
  if (isWebAddress(endpoint)) return undefined;
  const message = `the endpoint of the provider '${name}' is not an address.`;
  return { message, remedy: 'Expected: one that begins with http:// or https://, as https://host/v1.' };
}
