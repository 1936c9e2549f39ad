export { toOpenAIRecord } from './protocols/openai/to-openai-messages.ts';
export { openClient } from './open-client.ts';
export {
  addUsage,
  type Attempt,
  costOf,
  countRequests,
  countTokens,
  type ModelCounts,
  type ModelUsage,
  noUsage,
  triesOf,
} from './usage.ts';
export type { Budgets } from './exchange.ts';
export { conversationOf } from './conversation.ts';
export type { ChatAnswer, ChatRequest, ModelClient } from './model-client.ts';
export { ModelFacade } from './model-facade.ts';
export { ModelRegistry } from './model-registry.ts';
export { type PricedUsage, pricedUsage } from './priced-usage.ts';
export { probeModel, probeStructuredOutput, probeTools } from './probe-model.ts';
