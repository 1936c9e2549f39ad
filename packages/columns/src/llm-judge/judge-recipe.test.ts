import { expect, test } from 'vitest';
import { field, ParseFailure } from '@data-designer/core';
import { judgeArrow, judgeRecipe, judgeSchema } from './judge-recipe.ts';
import { scoreFields } from './score.ts';

const warmth = scoreFields.parse({ name: 'Warmth', description: 'How warm?', options: { '1': 'cold', '2': 'warm' } });
const tone = scoreFields.parse({ name: 'Tone of voice', description: '', options: { Dry: 'plain', witty: 'funny' } });
const stars = scoreFields.parse({
  name: 'Stars',
  description: 'How good?',
  options: [
    [5, 'best'],
    [1, 'worst'],
  ],
});

function answer(scored: unknown): string {
  return `\`\`\`json\n${JSON.stringify(scored)}\n\`\`\``;
}

const scoreOf = (declared: typeof warmth, given: unknown) =>
  judgeRecipe([declared]).parse(answer({ [declared.name]: { reasoning: 'So.', score: given } }));

const typed = (type: 'utf8' | 'int64') => ({ struct: [field('reasoning', 'utf8'), field('score', type)] });

test('the schema asks for reasoning before the score and describes each option', () => {
  const schema = judgeSchema([warmth]) as { properties: { Warmth: { properties: Record<string, unknown> } } };
  expect(schema).toMatchObject({ title: 'JudgeStructuredOutput', required: ['Warmth'] });
  expect(schema.properties.Warmth).toMatchObject({ title: 'Warmth', description: 'How warm?' });
  expect(Object.keys(schema.properties.Warmth.properties)).toEqual(['reasoning', 'score']);
  expect(schema.properties.Warmth.properties['score']).toEqual({
    enum: ['1', '2'],
    description: 'Score Descriptions for WarmthEnum:\n* 1: cold\n* 2: warm',
  });
});

test('the recipe offers that schema to endpoints that enforce one', () => {
  expect(judgeRecipe([warmth]).shape).toEqual(judgeSchema([warmth]));
});

test.each<[typeof warmth, unknown, unknown]>([
  [warmth, '2', '2'],
  [warmth, 2, '2'],
  [warmth, ' 2 ', '2'],
  [tone, 'DRY', 'Dry'],
  [tone, ' Witty', 'witty'],
  [stars, 5, 5],
  [stars, '1', 1],
])('%o: the score %j selects the option %j', (declared, given, option) => {
  expect(scoreOf(declared, given)).toEqual({ [declared.name]: { reasoning: 'So.', score: option } });
});

test('an integral float counts as an integer score', () => {
  expect(judgeRecipe([stars]).parse('{"Stars": {"reasoning": "r", "score": 5.0}}')).toEqual({
    Stars: { reasoning: 'r', score: 5 },
  });
});

test.each<[typeof warmth, unknown]>([
  [warmth, '3'],
  [warmth, '2.0'],
  [warmth, 2.5],
  [warmth, true],
  [warmth, null],
  [warmth, [2]],
  [stars, true],
  [stars, '5 stars'],
])('%o: rejects the score %j', (declared, given) => {
  expect(() => scoreOf(declared, given)).toThrow(ParseFailure);
});

test('a score that matches two options must match the case of one', () => {
  const shouted = scoreFields.parse({ name: 'S', description: '', options: { yes: 'y', Yes: 'Y' } });
  expect(scoreOf(shouted, 'Yes')).toEqual({ S: { reasoning: 'So.', score: 'Yes' } });
  expect(() => scoreOf(shouted, 'YES')).toThrow(/'S.score' must be one of/);
});

test('the cell has only the declared scores, in declared order', () => {
  const value = judgeRecipe([warmth, tone]).parse(
    answer({
      extra: 1,
      'Tone of voice': { score: 'Dry', reasoning: '[1]', more: 2 },
      Warmth: { score: 1, reasoning: '' },
    }),
  );
  expect(JSON.stringify(value)).toBe(
    '{"Warmth":{"reasoning":"","score":"1"},"Tone of voice":{"reasoning":"[1]","score":"Dry"}}',
  );
});

test.each([[{ Warmth: { score: '1' } }], [{ Warmth: '1' }], [{}], [[]], [5]])(
  'rejects the incomplete answer %j',
  (given) => {
    expect(() => judgeRecipe([warmth]).parse(answer(given))).toThrow(ParseFailure);
  },
);

test('scores are stored as integers only if the options are integers', () => {
  expect(judgeArrow([warmth, stars])).toEqual({
    struct: [field('Warmth', typed('utf8')), field('Stars', typed('int64'))],
  });
});
