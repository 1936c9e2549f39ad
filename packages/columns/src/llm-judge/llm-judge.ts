import { z } from 'zod';
import { field } from '@data-designer/core';
import { columnFields, defineColumn } from '@data-designer/config';
import {
  askModel,
  llmCheck,
  llmFields,
  llmReads,
  llmShapedRequires,
  llmSideEffects,
  llmTemplates,
} from '../llm-column.ts';
import { checkScores } from './check-scores.ts';
import { judgeArrow, judgeRecipe } from './judge-recipe.ts';
import { score } from './score.ts';

/** Scores given by a language model, each with its reasoning. */
export const llmJudge = defineColumn({
  type: 'llm-judge',
  schema: z.strictObject({
    ...columnFields('llm-judge'),
    ...llmFields,
    scores: z.array(score).min(1).describe('What is scored.'),
  }),
  templates: llmTemplates,
  reads: llmReads,
  writes: (config) => [field(config.name, judgeArrow(config.scores)), ...llmSideEffects(config)],
  requires: llmShapedRequires,
  check: (config) => [...llmCheck(config), ...checkScores(config.scores)],
  shownAs: () => ({ as: 'scores' }),
  cell: (config, setting) => askModel(config, judgeRecipe(config.scores), setting),
});
