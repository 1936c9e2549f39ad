import { stringifyJson, type ToolSchema } from '@data-designer/core';
import { defineTrainingFormat, type TrainingMessage } from '../../training-format.ts';
import { objectParameters, textIn } from '../shared/plain-messages.ts';

/** The member of `info` that holds the tools; environments refuse those under `oai_tools`. */
const TOOLS = 'tool_defs';
const REFUSED = 'oai_tools';

/** Tasks for environments of the library verifiers. */
export const verifiers = defineTrainingFormat<'task'>({
  kind: 'task',
  readers: 'verifiers',
  lacks: ['images', 'media', 'unknown_tools'],
  takesFields: true,
  reserved: ['prompt', 'answer', 'info', 'example_id', 'task', 'question'],
  refuse: ({ info }) => {
    if (Object.hasOwn(info, REFUSED)) return `a value named ${REFUSED}, which verifiers refuses`;
    return Object.hasOwn(info, TOOLS) ? `a value named ${TOOLS}, which holds the tools` : undefined;
  },
  toRecord: ({ prompt, tools, answer, info }, { row }) => ({
    prompt: prompt.map(messageOf),
    answer: answer ?? '',
    // JSON text: other versions of `datasets` fill objects that differ from row to row with nulls.
    info: stringifyJson({ ...info, ...(tools.length > 0 ? { [TOOLS]: tools.map(toolOf) } : {}) }),
    example_id: row,
  }),
});

/** A message of verifiers, whose calls have no `function`. */
function messageOf(message: TrainingMessage): unknown {
  const { role, reasoning_content: reasoning = '', tool_calls: calls, tool_call_id: id } = message;
  return {
    role,
    content: textIn(message),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls
      ? {
          tool_calls: calls.map((call) => ({
            id: call.id,
            name: call.function.name,
            arguments: call.function.arguments,
          })),
        }
      : {}),
    ...(id === undefined ? {} : { tool_call_id: id }),
  };
}

function toolOf(tool: ToolSchema): unknown {
  const { name, description } = tool.function;
  return { name, description: description ?? '', parameters: objectParameters(tool) };
}
