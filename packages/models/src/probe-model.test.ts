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

test('a chat model is greeted, with its own parameters but without draws', async () => {
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

test('a model that makes vectors, or pictures, is asked for one', async () => {
  const vector = outcome({ data: [{ embedding: [1] }] });
  expect(await probe(vector, { generationType: 'embedding' })).toMatchObject({ input: ['Hello!'] });
  const picture = outcome({ data: [{ b64_json: PNG }] });
  const painter = { generationType: 'image', model: 'dall-e-3' } as const;
  expect(await probe(picture, painter)).toMatchObject({ prompt: expect.any(String) as string });
});

test('a model that was cut off while it thought is there', async () => {
  await expect(probe(said('', { message: { reasoning: 'hm' }, finish: 'length' }))).resolves.toBeDefined();
});

test.each([
  [said(''), {}, /said nothing to a greeting/],
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

test('an endpoint that keeps a greeting to a schema is held to schemas from then on', async () => {
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
])('an endpoint that %s is not', async (_, answer) => {
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
])('%s tells nothing of schemas', async (_, answer) => {
  expect((await probeShape(answer)).holds).toBe(null);
});

test('what the question took is counted, under no column; a failure too', async () => {
  const counts = { requests: 1, failedRequests: 0, inputTokens: 10, outputTokens: 5 };
  const { usage } = await probeShape(said('{"ready":true}'));
  expect(usage).toMatchObject({ ...counts, columns: { '': { probe: counts } } });
  const refused = await probeShape(outcome('', { status: 503 }));
  expect(refused.usage).toMatchObject({ requests: 1, failedRequests: 1, inputTokens: 0 });
});

test('a run that is stopped is stopped', async () => {
  const stopped = new DataDesignerError('run/aborted', { reason: 'by request' });
  await expect(probeShape(stopped)).rejects.toMatchObject({ code: 'run/aborted' });
});
