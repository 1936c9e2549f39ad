import type { Gateway, PlannedModel } from '@data-designer/core';
import type { ModelClient } from './model-client.ts';

type OpenedBy = (gateway: Gateway, resource: string) => ModelClient;

/** The client of each protocol; what it stands on is loaded where a model speaks that protocol. */
const LOADERS = {
  openai: async (): Promise<OpenedBy> => {
    const { OpenAIClient } = await import('./protocols/openai/openai-client.ts');
    return (gateway, resource) => new OpenAIClient(gateway, resource);
  },
  anthropic: async (): Promise<OpenedBy> => {
    const { AnthropicClient } = await import('./protocols/anthropic/anthropic-client.ts');
    return (gateway, resource) => new AnthropicClient(gateway, resource);
  },
} as const;

/** The client that speaks a model's protocol through the gateway. */
export function openClient(gateway: Gateway, { wire, resource }: PlannedModel): ModelClient {
  const opening = LOADERS[wire]().then((open) => open(gateway, resource));
  // A failure is met by whoever asks.
  opening.catch(() => {});
  return {
    chat: async (...asked) => (await opening).chat(...asked),
    embed: async (...asked) => (await opening).embed(...asked),
    generateImage: async (...asked) => (await opening).generateImage(...asked),
  };
}
