import type { ToolSchema } from '@data-designer/core';
import type { TrainingMessage } from '../../training-format.ts';
import { namedCall, textIn, toolsText } from './plain-messages.ts';

/** The columns that the trainers of TRL look for. */
export const TRL_COLUMNS: readonly string[] = [
  'prompt',
  'completion',
  'chosen',
  'rejected',
  'messages',
  'conversations',
  'text',
  'label',
  'tools',
  'image',
  'images',
  'chat_template_kwargs',
  'input_ids',
  'labels',
  'seq_lengths',
  'completion_mask',
  'assistant_masks',
  'prompt_ids',
  'chosen_ids',
  'rejected_ids',
  'ref_chosen_logps',
  'ref_rejected_logps',
];

/**
 * Messages for the chat templates of Hugging Face: arguments are objects, results name their tool, and no content is null.
 * `earlier` messages have the calls that results in these may answer.
 */
export function trlMessages(
  messages: readonly TrainingMessage[],
  earlier: readonly TrainingMessage[] = [],
): readonly unknown[] {
  const calls = [...earlier, ...messages].flatMap(({ tool_calls: made = [] }) => made);
  const names = new Map(calls.map(({ id, function: { name } }) => [id, name]));
  return messages.map((message) => {
    const { role, reasoning_content: reasoning, tool_calls: made, tool_call_id: id } = message;
    return {
      role,
      content: textIn(message),
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
      ...(made
        ? { tool_calls: made.map((call) => ({ id: call.id, type: call.type, function: namedCall(call) })) }
        : {}),
      ...(id === undefined ? {} : { tool_call_id: id, name: names.get(id) ?? '' }),
    };
  });
}

/** The member `tools` of a record; absent without tools, since an empty list makes some templates speak of tools. */
export function trlTools(tools: readonly ToolSchema[]): { readonly tools?: string } {
  return tools.length > 0 ? { tools: toolsText(tools) } : {};
}
