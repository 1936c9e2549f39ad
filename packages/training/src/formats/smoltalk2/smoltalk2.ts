import { stringifyJson } from '@data-designer/core';
import { defineTrainingFormat, type TrainingMessage } from '../../training-format.ts';
import {
  callText,
  namedCall,
  openAITool,
  refuseLaterSystem,
  refuseMarks,
  refuseTextArguments,
  splitSystem,
  textIn,
} from '../shared/plain-messages.ts';
import { TRL_COLUMNS } from '../shared/trl-messages.ts';

/** What the template of SmolLM3 acts on in a system message. */
const SWITCH = /\/(?:no_think|think|system_override)\b/;

/** Conversations in the form of SmolTalk2: calls and reasoning are in the text, tools and instructions beside it. */
export const smoltalk2 = defineTrainingFormat<'chat'>({
  kind: 'chat',
  readers: 'SFTTrainer of TRL with the chat template of SmolLM3',
  lacks: ['images', 'media', 'unknown_tools'],
  takesFields: true,
  reserved: TRL_COLUMNS,
  refuse: ({ messages }) =>
    refuseTextArguments(messages) ??
    refuseLaterSystem(messages) ??
    refuseMarks(messages) ??
    refuseCallInText(messages) ??
    (SWITCH.test(splitSystem(messages)[0])
      ? 'a system message with /think, /no_think or /system_override, which the template acts on'
      : undefined),
  toRecord: ({ messages, tools }) => {
    const [system, rest] = splitSystem(messages);
    const last = rest.at(-1);
    return {
      messages: rest.map((message) => ({ role: message.role, content: contentOf(message) })),
      chat_template_kwargs: {
        custom_instructions: system,
        enable_thinking: (last?.reasoning_content ?? '') !== '',
        python_tools: [],
        xml_tools: tools.map((tool) => stringifyJson(openAITool(tool))),
      },
      source: 'data-designer',
    };
  },
});

/** A text that a reader takes for a call. */
function refuseCallInText(messages: readonly TrainingMessage[]): string | undefined {
  const isCall = messages.some((message) => message.role === 'assistant' && textIn(message).includes('<tool_call>'));
  return isCall ? 'a text with <tool_call>, which marks a call' : undefined;
}

function contentOf(message: TrainingMessage): string {
  const { role, reasoning_content: reasoning = '', tool_calls: calls = [] } = message;
  const text = textIn(message);
  if (role === 'tool') return `<tool_response>\n${text}\n</tool_response>`;
  const thought = reasoning === '' ? '' : `<think>\n${reasoning}\n</think>\n`;
  const called = calls.map((call) => `<tool_call>${callText(namedCall(call))}</tool_call>`);
  return `${thought}${[...(text === '' ? [] : [text]), ...called].join('\n')}`;
}
