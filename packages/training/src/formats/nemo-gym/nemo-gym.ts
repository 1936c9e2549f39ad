import type { ContentPart, ToolSchema } from '@data-designer/core';
import { defineTrainingFormat, type TrainingMessage } from '../../training-format.ts';
import { objectParameters, refuseImagesBeside, textIn } from '../shared/plain-messages.ts';

/** The members of a row that NeMo Gym sets or routes by. */
const RESERVED = [
  'responses_create_params',
  'agent_ref',
  'agent_name',
  'task_source',
  '_ng_task_index',
  '_ng_rollout_index',
  '_ng_rollout_id',
  'expected_answer',
];

/** Tasks of NeMo Gym: the prompt in the form of OpenAI's Responses API, and what its verifier reads beside it. */
export const nemoGym = defineTrainingFormat<'task'>({
  kind: 'task',
  readers: 'NeMo Gym',
  lacks: ['media', 'unknown_tools'],
  takesFields: true,
  reserved: RESERVED,
  refuse: ({ prompt, info }) => {
    const image = refuseImagesBeside(prompt, { assistant: 'an answer', tool: 'the result of a tool' });
    if (image !== undefined) return image;
    const taken = RESERVED.find((name) => Object.hasOwn(info, name));
    return taken === undefined ? undefined : `a value named ${taken}, which NeMo Gym has for itself`;
  },
  toRecord: ({ prompt, tools, answer, info }) => ({
    responses_create_params: {
      input: prompt.flatMap(itemsOf),
      ...(tools.length > 0 ? { tools: tools.map(flatTool), parallel_tool_calls: true } : {}),
    },
    ...(answer === null ? {} : { expected_answer: answer }),
    ...info,
  }),
});

function flatTool(tool: ToolSchema): unknown {
  const { name, description } = tool.function;
  return { type: tool.type, name, description, parameters: objectParameters(tool), strict: false };
}

/** A message as items: its reasoning, its text and its calls. */
function itemsOf(message: TrainingMessage, index: number): readonly unknown[] {
  const { role, content, reasoning_content: reasoning = '', tool_calls: calls = [], tool_call_id: id } = message;
  if (role === 'tool') return [{ type: 'function_call_output', call_id: id, output: textIn(message) }];
  const summary = [{ type: 'summary_text', text: reasoning }];
  const thought = reasoning === '' ? [] : [{ type: 'reasoning', id: `rs_${index}`, summary }];
  const isInput = Array.isArray(content) && role !== 'assistant';
  const shown = isInput ? (content as readonly ContentPart[]).map(inputPart) : textIn(message);
  const said = shown === '' && calls.length > 0 ? [] : [{ type: 'message', role, content: shown }];
  const called = calls.map((call) => ({
    type: 'function_call',
    call_id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
  }));
  return [...thought, ...said, ...called];
}

function inputPart({ type, text = '', url = '' }: ContentPart): unknown {
  return type === 'text' ? { type: 'input_text', text } : { type: 'input_image', image_url: url, detail: 'auto' };
}
