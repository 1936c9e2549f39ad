export type { Budgets } from './model-facade.ts';
export { ModelFacade } from './model-facade.ts';
export { ModelRegistry } from './model-registry.ts';
export type { ChatAnswer, ChatRequest, ModelClient, TokenCounts } from './model-client.ts';
export { addUsage, type ModelUsage, noUsage } from './usage.ts';
