import { stringifyJson } from '@data-designer/core';
import { defineTrainingFormat } from '../../training-format.ts';
import { openAIMessages, openAITools } from '../shared/openai-messages.ts';

/** The member of `info` that holds the tools. */
const TOOLS = 'oai_tools';

/** Tasks for environments of the library verifiers. */
export const verifiers = defineTrainingFormat<'task'>({
  kind: 'task',
  readers: 'verifiers',
  lacks: ['reasoning', 'images', 'media', 'unknown_tools'],
  takesFields: true,
  refuse: ({ info }) => (Object.hasOwn(info, TOOLS) ? `a value named ${TOOLS}, which holds the tools` : undefined),
  toRecord: ({ prompt, tools, answer, info }, { row }) => {
    const { tools: offered } = openAITools(tools);
    return {
      prompt: openAIMessages(prompt),
      answer: answer ?? '',
      // JSON text: other versions of `datasets` fill objects that differ from row to row with nulls.
      info: stringifyJson({ ...info, ...(offered ? { [TOOLS]: offered } : {}) }),
      example_id: row,
    };
  },
});
