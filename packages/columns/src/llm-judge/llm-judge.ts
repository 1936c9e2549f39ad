import { z } from 'zod';
import { field, type TypeFunction, valueType } from '@data-designer/core';
import { columnFields, defineColumn, type JudgedValue, type RowWith } from '@data-designer/config';
import { askModel, llmCheck, llmFields, llmMembers, llmShapedRequires, llmSideEffects } from '../llm-column.ts';
import { checkScores, optionsOf, scoreFields } from './score.ts';
import { judgeArrow, judgeRecipe } from './judge-recipe.ts';

/** A verdict in the type of the declared scores. */
export interface JudgedScores extends TypeFunction {
  readonly type: this['config'] extends { readonly scores: infer Scores } ? JudgedValue<Scores> : never;
}

/** Scores given by a language model, each with its reasoning. */
export const llmJudge = defineColumn({
  type: 'llm-judge',
  schema: z
    .strictObject({
      ...columnFields('llm-judge'),
      ...llmFields,
      scores: z.array(scoreFields).min(1).describe('The scores that the model gives to each row.'),
    })
    .describe(
      'Asks a language model to score the row. The cell contains the reasoning and the score for each of `scores`.',
    ),
  row: valueType<RowWith<JudgedScores>>(),
  example: {
    name: 'grade',
    column_type: 'llm-judge',
    model_alias: 'writer',
    prompt: 'Grade the topic {{ topic }} and the number {{ number }}.',
    scores: [{ name: 'Clarity', description: 'Is it clear?', options: { '1': 'no', '2': 'yes' } }],
  },
  ...llmMembers,
  writes: (config) => [field(config.name, judgeArrow(config.scores)), ...llmSideEffects(config)],
  listed: ({ scores }) =>
    scores.map((score) => ({ path: [score.name, 'score'], values: optionsOf(score).map(([option]) => option) })),
  requires: llmShapedRequires,
  check: (config, dataset) => [...llmCheck(config, dataset), ...checkScores(config.scores)],
  shownAs: () => ({ as: 'scores' }),
  cell: (config, setting) => askModel(config, judgeRecipe(config.scores), setting),
});
