import { z } from 'zod';
import { field, valueType } from '@data-designer/core';
import { columnFields, defineColumn, type RowWith } from '@data-designer/config';
import { askModel, llmFields, llmMembers, llmSideEffects } from '../llm-column.ts';
import { CODE_LANGUAGES, codeRecipe } from './code-recipe.ts';

/** Code written by a language model in one language; the body of the fenced block is the cell. */
export const llmCode = defineColumn({
  type: 'llm-code',
  bounded: true,
  schema: z
    .strictObject({
      ...columnFields('llm-code'),
      ...llmFields,
      codeLang: z
        .enum(CODE_LANGUAGES)
        .describe('The language of the code; for SQL with the dialect, such as `sql:postgres`.'),
    })
    .describe('Asks a language model for code and stores the code block of its answer.'),
  row: valueType<RowWith<string>>(),
  example: {
    name: 'code',
    column_type: 'llm-code',
    model_alias: 'writer',
    code_lang: 'python',
    prompt: 'A python function about {{ topic }}, number {{ number }}.',
  },
  ...llmMembers,
  writes: (config) => [field(config.name, 'utf8'), ...llmSideEffects(config)],
  shownAs: ({ codeLang }) => ({ as: 'code', language: codeLang }),
  cell: (config, setting) => askModel(config, codeRecipe(config.codeLang), setting),
});
