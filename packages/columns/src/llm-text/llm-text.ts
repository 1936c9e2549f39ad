import { z } from 'zod';
import { field, valueType, ParseFailure, splitThinking, startsThinking } from '@data-designer/core';
import { columnFields, defineColumn, type RowWith } from '@data-designer/config';
import { askModel, llmFields, llmMembers, llmSideEffects, type Recipe } from '../llm-column.ts';

/** Text written by a language model, with tools if it has any; the trimmed answer is the cell. */
export const llmText = defineColumn({
  type: 'llm-text',
  bounded: true,
  schema: z
    .strictObject({ ...columnFields('llm-text'), ...llmFields })
    .describe('Asks a language model and stores its answer as text.'),
  row: valueType<RowWith<string>>(),
  ...llmMembers,
  writes: (config) => [field(config.name, 'utf8'), ...llmSideEffects(config)],
  cell: (config, setting) => askModel(config, textRecipe, setting),
});

/** Text is taken as it is, empty too, without the thinking before it; thinking alone that does not end is no text. */
export const textRecipe: Recipe<string> = {
  parse: (text) => {
    const { answer } = splitThinking(text);
    if (answer === text && startsThinking(text)) {
      throw new ParseFailure('The answer is cut off within its <think> block. Think less, and answer behind </think>.');
    }
    return answer.trim();
  },
};
