import { expect, test } from 'vitest';
import { DataDesignerError } from '@data-designer/core';
import { CannedGateway, outcome, planned, said } from '../test/canned-gateway.ts';
import { openClient } from './open-client.ts';
import { probeModel, probeStructuredOutput } from './probe-model.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUg==';

async function probe(answer: ReturnType<typeof outcome>, more: Parameters<typeof planned>[0] = {}) {
  const model = planned(more);
  const gateway = new CannedGateway(answer);
  await probeModel(openClient(gateway, model), model);
  return gateway.bodies[0];
}

test('the probe greets a chat model with its fixed parameters, without drawn ones', async () => {
  const drawn = { top_p: { low: 0, high: 1 } };
  expect(await probe(said('Hello!'), { parameters: { temperature: 1 }, drawn })).toEqual({
    model: 'm-1',
    messages: [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content: 'Hello!' },
    ],
    temperature: 1,
  });
});

test('the probe asks an embedding model for one vector and an image model for one image', async () => {
  const vector = outcome({ data: [{ embedding: [1] }] });
  expect(await probe(vector, { generationType: 'embedding' })).toMatchObject({ input: ['Hello!'] });
  const picture = outcome({ data: [{ b64_json: PNG }] });
  const painter = { generationType: 'image', model: 'dall-e-3' } as const;
  expect(await probe(picture, painter)).toMatchObject({ prompt: expect.any(String) as string });
});

test('a model whose reasoning was cut off is ready', async () => {
  await expect(probe(said('', { message: { reasoning: 'hm' }, finish: 'length' }))).resolves.toBeDefined();
});

test.each([
  [said(''), {}, /contains no text in reply to a greeting/],
  [outcome({ error: { message: 'no such model' } }, { status: 404 }), {}, /no such model/],
  [outcome({ data: [] }), { generationType: 'embedding' }, /0 vectors for 1 texts/],
  [said('A cat.'), { generationType: 'image' }, /returned no image/],
  [said('ok'), { protocol: 'anthropic', generationType: 'embedding' }, /cannot make vectors/],
] as const)('a model that answers %j is not ready', async (answer, more, reason) => {
  await expect(probe(answer, more)).rejects.toThrow(reason);
});

async function probeShape(answer: ReturnType<typeof outcome> | Error) {
  const model = planned();
  const gateway = new CannedGateway(answer);
  const { structuredOutput: holds, usage } = await probeStructuredOutput(openClient(gateway, model), model);
  return { holds, usage, asked: gateway.bodies[0] };
}

test('an endpoint that answers the probe by its schema supports structured output', async () => {
  const { holds, asked } = await probeShape(said('{"ready":true}'));
  expect(holds).toBe(true);
  expect(asked).toMatchObject({ response_format: { type: 'json_schema', json_schema: { strict: true } } });
});

test.each([
  ['passes the schema over', said('Hello! {"ready": maybe}')],
  ['gives other JSON', said('{"hello":1}')],
  ['refuses the schema', outcome({ error: { message: "Unknown parameter: 'response_format'" } }, { status: 400 })],
  ['refuses the request without saying why', outcome('no', { status: 422 })],
  ['answers nothing', said(null)],
])('an endpoint that %s does not support structured output', async (_, answer) => {
  expect((await probeShape(answer)).holds).toBe(false);
});

test.each([
  ['a wrong key', outcome({ error: { message: 'wrong key' } }, { status: 401 })],
  ['no such model', outcome('', { status: 404 })],
  ['too many requests', outcome('', { status: 429 })],
  ['a server that fails', outcome('', { status: 503 })],
  ['a page instead of an answer', outcome('<html>')],
  ['a late answer', new DataDesignerError('model/timed-out', { model: 'm', timeoutMs: 1 })],
  ['no connection', new DataDesignerError('model/unreachable', { model: 'm', reason: 'reset' })],
])('%s leaves structured output unknown', async (_, answer) => {
  expect((await probeShape(answer)).holds).toBe(null);
});

test('the probe is counted in usage under no column, a failed one too', async () => {
  const counts = { requests: 1, failedRequests: 0, inputTokens: 10, outputTokens: 5 };
  const { usage } = await probeShape(said('{"ready":true}'));
  expect(usage).toMatchObject({ ...counts, columns: { '': { probe: counts } } });
  const refused = await probeShape(outcome('', { status: 503 }));
  expect(refused.usage).toMatchObject({ requests: 1, failedRequests: 1, inputTokens: 0 });
});

test('a stopped run stops the probe', async () => {
  const stopped = new DataDesignerError('run/aborted', { reason: 'by request' });
  await expect(probeShape(stopped)).rejects.toMatchObject({ code: 'run/aborted' });
});
