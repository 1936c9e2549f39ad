import { field } from '@data-designer/core';
import { columnFields, defineColumn } from '@data-designer/config';
import { z } from 'zod';
import { askModel, llmFields, llmReads, llmSideEffects, llmSpends } from '../llm-column.ts';

/** Text written by a language model, with tools if it has any; the trimmed answer is the cell. */
export const llmText = defineColumn({
  type: 'llm-text',
  schema: z.strictObject({ ...columnFields('llm-text'), ...llmFields }),
  reads: llmReads,
  writes: (config) => [field(config.name, 'utf8'), ...llmSideEffects(config)],
  spends: llmSpends,
  cell: (config) => askModel(config, { parse: (text) => text }),
});
