import { expect, test } from 'vitest';
import { field, type Plan, type PlannedModel } from '@data-designer/core';
import { expression, planOf, sampled } from '../../test/plan-of.ts';
import { continuePlan } from './continue-plan.ts';

const COLUMNS = [
  sampled('topic', 'category', { params: { values: ['moon', 'salt'] } }),
  expression('said', 'On {{ topic }}'),
];
const PLAN = planOf({ columns: COLUMNS });
const MODEL: PlannedModel = {
  alias: 'writer',
  resource: 'model/p/m',
  model: 'm',
  generationType: 'chat-completion',
  protocol: 'openai',
  structuredOutput: false,
  pricing: null,
  parameters: {},
  drawn: {},
  timeoutMs: 1000,
};

function planWith(requestRules?: string): Plan {
  return { ...PLAN, models: { writer: { ...MODEL, ...(requestRules && { requestRules }) } } };
}

test.each([
  { old: 'groq', now: 'vllm', hasAnswers: true, kept: 'groq' },
  { old: undefined, now: 'vllm', hasAnswers: true, kept: undefined },
  { old: 'groq', now: undefined, hasAnswers: true, kept: 'groq' },
  { old: 'groq', now: 'vllm', hasAnswers: false, kept: 'vllm' },
])('a dataset that began with the request rules $old has $kept under $now, with answers: $hasAnswers', (given) => {
  const { old, now, hasAnswers, kept } = given;
  const prior = { path: '/d', plan: planWith(old), hasAnswers, hasRows: false, changes: [] };
  expect(continuePlan(planWith(now), prior, null).models['writer']?.requestRules).toBe(kept);
});

function withAbility(structuredOutput: boolean | null): Plan {
  return { ...PLAN, models: { writer: { ...MODEL, structuredOutput } } };
}

test.each([
  { old: true, now: false, hasAnswers: true, kept: true },
  { old: false, now: true, hasAnswers: false, kept: false },
  { old: null, now: null, hasAnswers: true, kept: false },
  { old: null, now: null, hasAnswers: false, kept: null },
  { old: null, now: true, hasAnswers: true, kept: true },
])('an endpoint known as $old stays $kept where it is now $now, with answers: $hasAnswers', (given) => {
  const { old, now, hasAnswers, kept } = given;
  const prior = { path: '/d', plan: withAbility(old), hasAnswers, hasRows: false, changes: [] };
  expect(continuePlan(withAbility(now), prior, null).models['writer']?.structuredOutput).toBe(kept);
});

test('a column may have another type until rows are written', () => {
  const before = { ...PLAN, fields: PLAN.fields.map((one) => field(one.name, 'int64')) };
  const prior = { path: '/d', plan: before, hasAnswers: true, changes: [] };
  expect(continuePlan(PLAN, { ...prior, hasRows: false }, null).fields).toEqual(PLAN.fields);
  expect(() => continuePlan(PLAN, { ...prior, hasRows: true }, null)).toThrow(
    `the type of its column 'topic' is "int64", not "utf8"`,
  );
});

test('fewer rows, another seed and other tool turns are refused, and another time limit of tools is not', () => {
  const tool = { tool_alias: 'facts', providers: ['demo'], max_tool_call_turns: 2 };
  const asked = { name: 'fact', column_type: 'llm-text', model_alias: 'w', tool_alias: 'facts', prompt: '{{ topic }}' };
  const withTools = (more: object, numRecords = 10) =>
    planOf(
      {
        model_configs: [{ alias: 'w', model: 'm', provider: 'here' }],
        tool_configs: [{ ...tool, ...more }],
        columns: [...COLUMNS, asked],
      },
      { numRecords },
    );
  const plan = withTools({});
  const prior = { path: '/d', plan, hasAnswers: true, hasRows: true, changes: [] };
  const continued = (next: Plan, seed: number | null = null) => continuePlan(next, prior, seed);
  expect(continued(withTools({ timeout_sec: 5 }), plan.seed).identity).toBe(plan.identity);
  expect(() => continued(withTools({ max_tool_call_turns: 3 }))).toThrow('its configuration has changed');
  const change = {
    stage: 'run',
    type: 'changed',
    level: 'ERROR',
    path: 'columns[1]',
    message: '',
    remedy: '',
  } as const;
  const withChange = (column: string) => () =>
    continuePlan(withTools({ max_tool_call_turns: 3 }), { ...prior, changes: [{ ...change, column }] }, null);
  expect(withChange('new')).toThrow('seed_config: { source: { seed_type: dataset, path: "/d" } }');
  expect(withChange('fact')).not.toThrow('seed_type');
  expect(() => continued(plan, plan.seed + 1)).toThrow(`its seed is ${plan.seed}, not ${plan.seed + 1}`);
  expect(() => continued(withTools({}, 9))).toThrow('it was started with 10 rows, and this run asks for only 9');
});
