import { ONCE, readForm } from '../read-form.ts';
import { modelConfig, type ModelConfig } from '../schemas/model-config.ts';
import { modelProvider, type ModelProvider } from '../schemas/providers.ts';

const hosted = (name: string, endpoint: string, apiKey: string): ModelProvider =>
  modelProvider.parse({ name, endpoint, apiKey }, ONCE);

/** The model providers without a file; keys are names of variables (all as in NeMo Data Designer). */
export const stockModelProviders: readonly ModelProvider[] = [
  hosted('nvidia', 'https://integrate.api.nvidia.com/v1', 'NVIDIA_API_KEY'),
  hosted('openai', 'https://api.openai.com/v1', 'OPENAI_API_KEY'),
  hosted('openrouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
];

const steady = (temperature: number, topP: number) => ({ temperature, top_p: topP });
const thinking = { extra_body: { reasoning_effort: 'medium' } };
const direct = { extra_body: { chat_template_kwargs: { enable_thinking: false } } };
const vectors = { encoding_format: 'float' };

/** The models and their parameters, by provider and use. */
const MODELS: Readonly<Record<string, Readonly<Record<string, readonly [model: string, parameters: object]>>>> = {
  nvidia: {
    text: ['nvidia/nemotron-3.5-lightning-30b-a3b', { ...steady(1, 0.95), ...direct }],
    reasoning: ['nvidia/nemotron-3-super-120b-a12b', { ...steady(1, 0.95), ...thinking }],
    vision: ['nvidia/nemotron-3-nano-omni-30b-a3b-reasoning', steady(0.6, 0.95)],
    embedding: ['nvidia/nemotron-3-embed-1b', { ...vectors, extra_body: { input_type: 'query' } }],
  },
  openai: {
    text: ['gpt-4.1', steady(0.85, 0.95)],
    reasoning: ['gpt-5', thinking],
    vision: ['gpt-5', thinking],
    embedding: ['text-embedding-3-large', vectors],
  },
  openrouter: {
    text: ['nvidia/nemotron-3-nano-30b-a3b', steady(1, 1)],
    reasoning: ['openai/gpt-oss-20b', steady(0.35, 0.95)],
    vision: ['nvidia/nemotron-3-nano-omni-30b-a3b-reasoning:free', steady(0.6, 0.95)],
    embedding: ['openai/text-embedding-3-large', vectors],
  },
};

/** The models without a file: four per stock provider, with the alias `{provider}-{use}`. */
export function stockModelConfigs(): readonly ModelConfig[] {
  return Object.entries(MODELS).flatMap(([provider, uses]) =>
    Object.entries(uses).map(([use, [model, parameters]]) => {
      const declared = { alias: `${provider}-${use}`, model, provider, inference_parameters: parameters };
      return modelConfig.parse(readForm(modelConfig, declared), ONCE);
    }),
  );
}
