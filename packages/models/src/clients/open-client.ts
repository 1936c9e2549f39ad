import type { Gateway, PlannedModel } from '@data-designer/core';
import type { ModelClient } from '../model-client.ts';
import { AnthropicClient } from './anthropic/anthropic-client.ts';
import { OpenAIClient } from './openai/openai-client.ts';

/** The client of each protocol. */
const CLIENTS = { openai: OpenAIClient, anthropic: AnthropicClient } as const;

/** The client that speaks a model's protocol through the gateway. */
export function openClient(gateway: Gateway, { wire, resource }: PlannedModel): ModelClient {
  return new CLIENTS[wire](gateway, resource);
}
