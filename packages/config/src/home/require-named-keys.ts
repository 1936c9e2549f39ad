import type { Providers } from '../schemas/providers.ts';

/** What nobody has for a key, and everybody for the name of a variable that holds one: `OPENAI_API_KEY`, `HF_TOKEN`. */
const KEY_NAME = /^[A-Z][A-Z0-9_]*_(?:KEY|TOKEN|SECRET)$/;

/**
 * The providers with every key that is plainly the name of a variable written as `${NAME}`: if it is not set, a run
 * asks for it by name, where the Python tool would send the name itself for a key.
 */
export function requireNamedKeys({ models, tools }: Providers): Providers {
  return { models: models.map((provider) => named(provider)), tools: tools.map((provider) => named(provider)) };
}

function named<Provider extends object>(provider: Provider): Provider {
  if (!('apiKey' in provider) || typeof provider.apiKey !== 'string' || !KEY_NAME.test(provider.apiKey))
    return provider;
  return { ...provider, apiKey: `\${${provider.apiKey}}` };
}
