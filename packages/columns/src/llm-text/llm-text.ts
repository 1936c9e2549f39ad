import { z } from 'zod';
import { field, valueType } from '@data-designer/core';
import { columnFields, defineColumn, type RowWith } from '@data-designer/config';
import { askModel, llmCheck, llmFields, llmReads, llmSideEffects, llmRequires, llmTemplates } from '../llm-column.ts';
import { textRecipe } from './text-recipe.ts';

/** Text written by a language model, with tools if it has any; the trimmed answer is the cell. */
export const llmText = defineColumn({
  type: 'llm-text',
  schema: z.strictObject({ ...columnFields('llm-text'), ...llmFields }),
  row: valueType<RowWith<string>>(),
  templates: llmTemplates,
  reads: llmReads,
  writes: (config) => [field(config.name, 'utf8'), ...llmSideEffects(config)],
  requires: llmRequires,
  check: llmCheck,
  cell: (config, setting) => askModel(config, textRecipe, setting),
});
