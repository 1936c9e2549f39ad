import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Call,
  type CallOutcome,
  DataDesignerError,
  type Gateway,
  type Plan,
  Random,
  worldCall,
} from '@data-designer/core';
import { conversationOf, ModelRegistry } from '@data-designer/models';
import { expect, test } from 'vitest';
import { CannedGateway, outcome, planned, said } from '../../../models/test/canned-gateway.ts';
import { openEnvironments } from './row-environments.ts';
import { WorldQuestions } from './world-questions.ts';

const BUDGETS = { maxCorrectionSteps: 0, maxConversationRestarts: 5 };
const WORLD = { name: 'shop', random: Random.of(1, 'environment:shop') };
const SCHEMA = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const QUESTION = { modelAlias: 'writer', systemPrompt: 'You play.', prompt: 'The call.', schema: SCHEMA };

/** A tool call with a number in its cell, and the questions that it may ask. */
function during(answers: readonly (CallOutcome | Error)[], { call = 3, attempts = false, model = {} } = {}) {
  const gateway = new CannedGateway(...answers);
  const models = new ModelRegistry({ writer: planned(model) }, gateway, BUDGETS);
  const plan = (attempts ? { attempts: [{ columns: ['work'] }] } : {}) as Pick<Plan, 'attempts'>;
  const { signal } = new AbortController();
  const questions = new WorldQuestions(plan, { models, signal });
  const toolCall = { row: 5, column: 'work', call, body: '{"name":"buy","arguments":{}}' } as Call;
  return { gateway, models, ask: questions.during(toolCall, WORLD) };
}

const numbers = ({ calls }: CannedGateway) => calls.map(({ row, column, call }) => [row, column, call]);

test('a question is asked at the numbers of its tool call, and counted for the column', async () => {
  const { gateway, models, ask } = during([said('{"n": "x"}'), said('{"n": 1}'), said('{"n": 2}')]);
  expect(await ask(QUESTION)).toEqual({ n: 1 });
  expect(await ask(QUESTION)).toEqual({ n: 2 });
  expect(numbers(gateway)).toEqual([0, 1, 2].map((at) => [5, 'work', worldCall(3, at)]));
  const [first] = gateway.bodies;
  expect(first).toMatchObject({ messages: [{ role: 'system', content: 'You play.' }, { role: 'user' }] });
  expect(JSON.stringify(first)).toMatch(/The call\.\\n\\nAnswer in JSON/);
  expect(models.usage()['writer']?.columns['work']).toMatchObject({
    first: { requests: 2 },
    correction: { requests: 1 },
  });
});

test('an answer is corrected twice, whatever the budgets of the run', async () => {
  const { gateway, ask } = during(Array.from({ length: 9 }, () => said('no')));
  await expect(ask(QUESTION)).rejects.toMatchObject({ code: 'model/gave-up', data: { corrections: 2, restarts: 0 } });
  expect(gateway.calls).toHaveLength(3);
});

test('an answer that is too long is not corrected', async () => {
  const { gateway, ask } = during([said(`{"n": 1${' '.repeat(2 ** 21)}}`), said('{"n": 1}')]);
  await expect(ask(QUESTION)).rejects.toMatchObject({ code: 'model/gave-up' });
  expect(gateway.calls).toHaveLength(1);
  const allowed = during([said(`{"n": 1${' '.repeat(2 ** 21 - 8)}}`)]);
  expect(await allowed.ask(QUESTION)).toEqual({ n: 1 });
});

test('a tool call that needs a ninth request, or has no numbers, fails by name', async () => {
  const { gateway, ask } = during(Array.from({ length: 9 }, () => said('{"n": 1}')));
  for (let at = 0; at < 8; at++) await ask(QUESTION);
  const failure = { environment: 'shop', tool: 'buy', call: 3, most: 8 };
  await expect(ask(QUESTION)).rejects.toMatchObject({ code: 'environment/too-many-requests', data: failure });
  expect(gateway.calls).toHaveLength(8);
  await expect(during([], { call: 65_536 }).ask(QUESTION)).rejects.toMatchObject({
    code: 'environment/too-many-requests',
  });
});

test('an endpoint is held to the schema of the answer, and a refusal of it takes one more number', async () => {
  const refusal = outcome({ error: { message: 'response_format is not supported' } }, { status: 400 });
  const { gateway, ask } = during([refusal, said('{"n": 1}')], { model: { structuredOutput: true } });
  expect(await ask(QUESTION)).toEqual({ n: 1 });
  expect(gateway.bodies.map((body) => 'response_format' in body)).toEqual([true, false]);
  expect(numbers(gateway).map(([, , call]) => call)).toEqual([worldCall(3, 0), worldCall(3, 1)]);
});

test('only requests of attempts have a seed, which differs between attempts', async () => {
  const model = { protocol: 'openai' };
  const seedOf = async (call: number, attempts: boolean) => {
    const { gateway, ask } = during([said('{"n": 1}')], { call, attempts, model });
    await ask(QUESTION);
    return gateway.bodies[0]?.['seed'];
  };
  expect(await seedOf(3, false)).toBeUndefined();
  const [one, same, other] = [await seedOf(3, true), await seedOf(4, true), await seedOf(1_048_576 + 3, true)];
  expect(one).toBeTypeOf('number');
  expect(same).toBe(one);
  expect(other).not.toBe(one);
});

test('failures pass with their data, without the conversation that they ended', async () => {
  for (const code of ['run/over', 'run/aborted', 'journal/ends'] as const) {
    const failure = new DataDesignerError(code, { reason: 'x' });
    const thrown: unknown = await during([failure])
      .ask(QUESTION)
      .catch((one: unknown) => one);
    expect(thrown).toMatchObject({ code, data: failure.data });
    expect(conversationOf(thrown)).toBeUndefined();
  }
});

const SHOP = {
  name: 'shop',
  kind: 'simulated',
  modelAlias: 'writer',
  state: { n: 1 },
  tools: [{ name: 'buy', description: '', parameters: { type: 'object', properties: {} } }],
};

test('the time of a model is not that of the tool', async () => {
  const gateway: Gateway = new CannedGateway();
  gateway.call = async () => {
    await sleep(30);
    return said('{"result": "bought", "state": {"n": 0}}');
  };
  const models = new ModelRegistry({ writer: planned() }, gateway, BUDGETS);
  const plan = { seed: 1, columns: [], environments: [{ name: 'shop', kind: 'simulated', config: SHOP }] };
  const { signal } = new AbortController();
  const parts = { floats: new Set<string>(), gateway, functions: undefined, models, signal };
  const opened = openEnvironments(plan as unknown as Plan, parts);
  const row = opened.ofRow(0);
  const cell = { column: 'work', names: ['shop'], row: {}, attempt: undefined };
  const written = await row.makeCell(cell, async () => {
    const body = '{"name":"buy","arguments":{}}';
    const at = { row: 0, column: 'work', call: 1, resource: 'tools/shop', path: 'tools/call', timeoutMs: 1 };
    return [(await opened.gateway.call({ ...at, body })).body];
  });
  expect(written).toEqual(['{"content":[{"type":"text","text":"bought"}]}', { n: 0 }]);
});
