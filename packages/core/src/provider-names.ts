/** The protocols of models, with the text that offers each of them to a reader. */
export const MODEL_PROTOCOL_LABELS = {
  openai: 'OpenAI-compatible: vLLM, Ollama, NIM, LiteLLM and most hosted services',
  'openai-responses': 'OpenAI Responses',
  anthropic: 'Anthropic Messages',
} as const;

/** The name of a protocol of models: the `provider_type` of its providers. */
export type ModelProtocolName = keyof typeof MODEL_PROTOCOL_LABELS;

/** The protocol of providers that name none. */
export const DEFAULT_MODEL_PROTOCOL: ModelProtocolName = 'openai';

/** The names of all protocols of models. */
export const MODEL_PROTOCOL_NAMES = Object.keys(MODEL_PROTOCOL_LABELS) as readonly ModelProtocolName[];

/** The names of request rules: whose limits on tools and images an endpoint has. */
export const REQUEST_RULES_NAMES = [
  'openai',
  'azure',
  'anthropic',
  'gemini',
  'groq',
  'mistral',
  'xai',
  'bedrock',
  'vllm',
  'ollama',
] as const;

/** The name of request rules. */
export type RequestRulesName = (typeof REQUEST_RULES_NAMES)[number];
