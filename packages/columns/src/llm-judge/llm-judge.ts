import { field } from '@data-designer/core';
import { columnFields, defineColumn } from '@data-designer/config';
import { z } from 'zod';
import { askModel, llmFields, llmReads, llmSideEffects, llmSpends } from '../llm-column.ts';
import { judgeArrow, judgeRecipe } from './judge-recipe.ts';
import { score } from './score.ts';

/** Scores given by a language model, each with its reasoning. */
export const llmJudge = defineColumn({
  type: 'llm-judge',
  schema: z.strictObject({
    ...columnFields('llm-judge'),
    ...llmFields,
    scores: z
      .array(score)
      .min(1)
      .refine((scores) => new Set(scores.map(({ name }) => name)).size === scores.length, {
        error: 'two scores have the same name',
      })
      .describe('What is scored.'),
  }),
  reads: llmReads,
  writes: (config) => [field(config.name, judgeArrow(config.scores)), ...llmSideEffects(config)],
  spends: llmSpends,
  cell: (config) => askModel(config, judgeRecipe(config.scores)),
});
