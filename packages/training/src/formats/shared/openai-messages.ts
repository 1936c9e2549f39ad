import { toChatMessage, type ToolSchema } from '@data-designer/core';
import { toOpenAIRecord } from '@data-designer/models';
import type { TrainingMessage } from '../../training-format.ts';
import { openAITool } from './plain-messages.ts';

/** Messages in the form of OpenAI's chat completions, with texts, names and arguments as they are stored. */
export function openAIMessages(messages: readonly TrainingMessage[]): readonly unknown[] {
  return toOpenAIRecord(messages.map(toChatMessage));
}

/** The member `tools` of a record; absent without tools. */
export function openAITools(tools: readonly ToolSchema[]): { readonly tools?: readonly unknown[] } {
  return tools.length > 0 ? { tools: tools.map(openAITool) } : {};
}

/** Why names of tools do not fit, which OpenAI limits to 64 letters, digits, `_` and `-`; undefined if they do. */
export function refuseNames(tools: readonly ToolSchema[]): string | undefined {
  const isFit = tools.every((tool) => /^[\w-]{1,64}$/.test(tool.function.name));
  return isFit
    ? undefined
    : 'a tool whose name is longer than 64 characters or has others than letters, digits, _ and -';
}
