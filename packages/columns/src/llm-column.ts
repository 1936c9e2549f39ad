import {
  type ArrowField,
  type Cell,
  type ChatMessage,
  field,
  type Reference,
  type Spending,
  TRACE_MESSAGE,
  traceOf,
  type Written,
} from '@data-designer/core';
import { compileTemplate } from '@data-designer/template';
import { z } from 'zod';
import { templateReferences } from './template-references.ts';

/** The fields that every column written by a language model has. */
export const llmFields = {
  prompt: z.string().describe('What the model is asked: a Jinja template over the other columns.'),
  modelAlias: z.string().min(1).describe('Alias of the model that answers.'),
  systemPrompt: z.string().nullable().default(null).describe('A template for the system message; empty for none.'),
  toolAlias: z.string().nullable().default(null).describe('Alias of the tools that the model may call.'),
  withTrace: z
    .union([z.boolean(), z.enum(['none', 'last_message', 'all_messages'])])
    .transform((value) => (value === true ? 'all_messages' : value === false ? 'none' : value))
    .default('none')
    .describe('Whether the conversation is kept in `{name}__trace`; true means all of it.'),
  extractReasoningContent: z.boolean().default(false).describe('Keep the reasoning in `{name}__reasoning_content`.'),
} as const;

/** What those fields hold once parsed. */
interface LLMConfig {
  readonly name: string;
  readonly prompt: string;
  readonly modelAlias: string;
  readonly systemPrompt: string | null;
  readonly toolAlias: string | null;
  readonly withTrace: 'none' | 'last_message' | 'all_messages';
  readonly extractReasoningContent: boolean;
}

/** What the prompts name. */
export function llmReads({ prompt, systemPrompt }: LLMConfig): Reference[] {
  const named = templateReferences(prompt, 'prompt');
  return systemPrompt ? [...named, ...templateReferences(systemPrompt, 'systemPrompt')] : named;
}

/** The side effects that were asked for. */
export function llmSideEffects({ name, withTrace, extractReasoningContent }: LLMConfig): ArrowField[] {
  return [
    ...(withTrace === 'none' ? [] : [field(`${name}__trace`, { list: TRACE_MESSAGE })]),
    ...(extractReasoningContent ? [field(`${name}__reasoning_content`, 'utf8')] : []),
  ];
}

/** One model, and one set of tools if any. */
export function llmSpends({ modelAlias, toolAlias }: LLMConfig): Spending {
  return { models: [modelAlias], tools: toolAlias === null ? [] : [toolAlias] };
}

/** What a kind of answer adds: instructions after the prompt, and how the answer becomes a value. */
export interface Recipe<Answer> {
  readonly instructions?: string;
  readonly parse: (text: string) => Answer;
}

/** The maker of an LLM column's cells: templates compiled once, then one conversation per cell. */
export function askModel<Answer extends Written[number]>(config: LLMConfig, recipe: Recipe<Answer>) {
  const prompt = compileTemplate(config.prompt);
  const system = config.systemPrompt ? compileTemplate(config.systemPrompt) : undefined;
  const suffix = recipe.instructions === undefined ? '' : `\n\n${recipe.instructions}`;
  return async (cell: Cell): Promise<Written> => {
    const { value, messages } = await cell.ask({
      modelAlias: config.modelAlias,
      toolAlias: config.toolAlias ?? undefined,
      prompt: () => prompt(cell.row, () => cell.random.float()) + suffix,
      systemPrompt: system && (() => system(cell.row, () => cell.random.float())),
      parse: recipe.parse,
    });
    return [value, ...sideEffects(config, messages)];
  };
}

function sideEffects({ withTrace, extractReasoningContent }: LLMConfig, messages: readonly ChatMessage[]): Written {
  const last = messages.findLast(({ role }) => role === 'assistant');
  const kept = withTrace === 'all_messages' ? messages : last ? [last] : [];
  return [
    ...(withTrace === 'none' ? [] : [traceOf(kept)]),
    ...(extractReasoningContent ? [last?.reasoning_content?.trim() || null] : []),
  ];
}
