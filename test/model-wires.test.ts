import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Call,
  type CallOutcome,
  type CallContext,
  type CellValue,
  type Gateway,
  ParseFailure,
  parseJson,
  type PlannedModel,
  Random,
  WEB,
} from '@data-designer/core';
import { MCPRegistry } from '@data-designer/mcp';
import { costOf, ModelRegistry, openClient, probeModel, probeStructuredOutput } from '@data-designer/models';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { ScriptedGateway } from './conformance/scripted-gateway.ts';

const KEY = 'sesame';
const SEED = 5;
let folder: string;
let simulator: RunningSimulator;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wires-'));
  simulator = await startSimulator('--seed', `${SEED}`, '--api-key', KEY, '--log', join(folder, 'log.ndjson'));
});

afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** A gateway without threads, limits and journal: every call is one request to the simulator. */
class HttpGateway implements Gateway {
  readonly bodies: Record<string, unknown>[] = [];

  admit(): Promise<void> {
    return Promise.resolve();
  }

  async call({ resource, path, body }: Call): Promise<CallOutcome> {
    if (resource === WEB) return download(body);
    this.bodies.push(JSON.parse(body) as Record<string, unknown>);
    const key = path === 'messages' ? { 'x-api-key': KEY } : { authorization: `Bearer ${KEY}` };
    const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...key };
    const response = await fetch(`${simulator.url}/${path}`, { method: 'POST', body, headers });
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  }

  listTools(): ReturnType<Gateway['listTools']> {
    return Promise.resolve([FIND]);
  }

  cancel(): void {}
}

async function download(body: string): Promise<CallOutcome> {
  const { url } = JSON.parse(body) as { readonly url: string };
  const response = await fetch(url);
  const base64 = Buffer.from(await response.arrayBuffer()).toString('base64');
  return { status: response.status, headers: Object.fromEntries(response.headers), body: base64 };
}

const FIND = {
  type: 'function',
  function: {
    name: 'find',
    description: 'Finds something.',
    parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  },
} as const;

const PLANNED: PlannedModel = {
  alias: 'writer',
  resource: 'model/p/m',
  model: 'sim-small',
  generationType: 'chat-completion',
  protocol: 'openai',
  structuredOutput: null,
  pricing: { input: 3, output: 15, cachedInput: 0.3, image: 0.04 },
  parameters: {},
  drawn: {},
  timeoutMs: 10_000,
};

function open(more: Partial<PlannedModel> = {}, { maxConversationRestarts = 0, maxCorrectionSteps = 0 } = {}) {
  const gateway = new HttpGateway();
  const budgets = { maxCorrectionSteps, maxConversationRestarts };
  const models = new ModelRegistry({ writer: { ...PLANNED, ...more } }, gateway, budgets);
  return { gateway, facade: models.facade('writer') };
}

function callContextOf(): CallContext {
  let calls = 0;
  const random = Random.of(1, 'a');
  return {
    row: 0,
    column: 'a',
    signal: new AbortController().signal,
    nextCall: () => calls++,
    randomOf: (call) => random.copy().at(0, 0, call + 1),
  };
}

const QUESTION = 'What is near? Use the tool find.';
const ask = { modelAlias: 'writer', parse: (text: string) => text };
const TOOLS = { finder: { alias: 'finder', providers: ['p'], allowTools: null, maxToolCallTurns: 5, timeoutMs: 1000 } };

/** Tools that answer at once, one of them with a picture. */
function toolBox(content: readonly object[]) {
  const scripted = new ScriptedGateway({ model_script: [], tool_results: { find: { content } } });
  scripted.listTools = () => Promise.resolve([FIND]);
  return new MCPRegistry(TOOLS, scripted).get('finder');
}

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgAAACAAAB4iG8MwAAAABJRU5ErkJggg==';
const SHOWN = { type: 'image', media_type: 'image/png', url: `data:image/png;base64,${PNG}` } as const;

test.each(['openai', 'anthropic'] as const)(
  'a conversation with pictures and tools is taken by a strict %s server',
  async (protocol) => {
    const { facade } = open({ protocol });
    const tools = toolBox([
      { type: 'text', text: 'a map' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
    ]);
    const question = { ...ask, prompt: () => QUESTION, systemPrompt: () => 'Be brief.' };
    const { messages } = await facade.generate({ ...question, media: async () => [SHOWN] }, callContextOf(), tools);
    expect(JSON.stringify(messages)).toContain('a map');
    expect(messages.filter(({ role }) => role === 'tool').length).toBeGreaterThan(0);
    expect(facade.usage.toolTurns).toBeGreaterThan(0);
  },
);

test('arguments that are no JSON go back as an empty object, to servers that read them; the trace keeps them', async () => {
  const { facade, gateway } = open({ model: 'sim-bad-arguments' });
  const { messages } = await facade.generate({ ...ask, prompt: () => QUESTION }, callContextOf(), toolBox([]));
  const [, call, told] = messages;
  expect(() => JSON.parse(call?.tool_calls?.[0]?.function.arguments ?? '{}') as unknown).toThrow(SyntaxError);
  expect(told?.content).toBe("Error: Tool 'find' failed: its arguments are not valid JSON");
  expect(gateway.bodies.at(-1)?.messages).toContainEqual({
    ...call,
    tool_calls: call?.tool_calls?.map((one) => ({ ...one, function: { ...one.function, arguments: '{}' } })),
  });
});

test('thinking that is switched on is signed, and taken back by the server that signed it, through corrections too', async () => {
  const thinking = { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 4000 };
  const { facade, gateway } = open({ protocol: 'anthropic', parameters: thinking }, { maxCorrectionSteps: 1 });
  let attempts = 0;
  const parse = (text: string) => {
    if (attempts++ === 0) throw new ParseFailure('Once more, please.');
    return text;
  };
  const { messages } = await facade.generate(
    { ...ask, prompt: () => QUESTION, parse },
    callContextOf(),
    toolBox([{ type: 'text', text: 'x' }]),
  );
  expect(messages.filter(({ reasoning_content: reasoning }) => reasoning).length).toBeGreaterThan(2);
  const last = gateway.bodies.at(-1)?.messages as { content: { type: string }[] }[];
  expect(last[1]?.content[0]).toMatchObject({ type: 'thinking', signature: expect.any(String) as string });
  expect(facade.usage).toMatchObject({ failedRequests: 0 });
  expect(facade.usage.estimatedReasoningTokens).toBeGreaterThan(0);
});

test('a key that is refused is told by both protocols', async () => {
  const wrong = await fetch(`${simulator.url}/messages`, {
    method: 'POST',
    body: '{}',
    headers: { 'x-api-key': 'no' },
  });
  expect(wrong.status).toBe(401);
});

const SCHEMA = {
  type: 'object',
  properties: { question: { type: 'string', minLength: 1 }, points: { type: 'integer' }, hint: { type: 'string' } },
  required: ['question', 'points'],
};

function mended(text: string, mend?: (data: CellValue) => CellValue): CellValue | undefined {
  return mend?.(parseJson(text));
}

test("an endpoint that takes strict schemas takes ours, and the answer keeps the user's own", async () => {
  const { facade, gateway } = open({ structuredOutput: true });
  const asked = Array.from({ length: 12 }, (_, index) =>
    facade.generate({ ...ask, prompt: () => `Quiz ${index}`, shape: SCHEMA, parse: mended }, callContextOf()),
  );
  const values = (await Promise.all(asked)).map(({ value }) => value);
  expect(gateway.bodies[0]?.response_format).toMatchObject({ json_schema: { strict: true } });
  for (const value of values) {
    expect(value).toMatchObject({ question: expect.any(String) as string, points: expect.any(Number) as number });
    expect(value).not.toMatchObject({ hint: null });
  }
});

test('an endpoint that refuses schemas loses no row', async () => {
  const { facade, gateway } = open({ structuredOutput: true, model: 'sim-no-schema' });
  const { value } = await facade.generate({ ...ask, prompt: () => 'Hi', shape: SCHEMA }, callContextOf());
  expect(value.length).toBeGreaterThan(0);
  expect(gateway.bodies.map((body) => 'response_format' in body)).toEqual([true, false]);
});

test.each([
  ['sim-small', true],
  ['sim-no-schema', false],
  ['sim-ignores-schema', false],
])('the probe finds out whether %s can be held to a schema: %s', async (model, holds) => {
  const planned = { ...PLANNED, model };
  const client = openClient(new HttpGateway(), planned);
  await probeModel(client, planned);
  expect(await probeStructuredOutput(client, planned)).toMatchObject({ structuredOutput: holds });
});

test.each(['float', 'base64'])('vectors come as %s', async (encoding) => {
  const parameters = { encoding_format: encoding, dimensions: 8 };
  const { facade } = open({ generationType: 'embedding', parameters });
  const vectors = await facade.embed({ modelAlias: 'writer', texts: ['one', 'two', 'one'] }, callContextOf());
  expect(vectors.map(({ length }) => length)).toEqual([8, 8, 8]);
  expect(vectors[0]).toEqual(vectors[2]);
  expect(vectors[0]).not.toEqual(vectors[1]);
  expect(Math.hypot(...(vectors[0] ?? []))).toBeCloseTo(1, 5);
});

test.each([
  ['dall-e-3', {}],
  ['dall-e-3', { response_format: 'url' }],
  ['sim-image', {}],
])('pictures by %s with %j', async (model, parameters) => {
  const { facade } = open({ generationType: 'image', model, parameters });
  const pictures = await facade.generateImage({ modelAlias: 'writer', prompt: () => 'A cat' }, callContextOf());
  expect(pictures).toMatchObject([{ mediaType: 'image/png' }]);
  expect(
    Buffer.from(pictures[0]?.base64 ?? '', 'base64')
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
  const planned = { ...PLANNED, generationType: 'image', model } as const;
  await expect(probeModel(openClient(new HttpGateway(), planned), planned)).resolves.toBeUndefined();
});

test('what was counted costs what the log of the server adds up to', async () => {
  const start = (await readFile(join(folder, 'log.ndjson'), 'utf8')).length;
  const { facade } = open({}, { maxCorrectionSteps: 0 });
  const tools = toolBox([{ type: 'text', text: 'x' }]);
  const prompts = Array.from({ length: 10 }, (_, index) => () => `What is near ${index}? Use the tool find.`);
  await Promise.all(prompts.map((prompt) => facade.generate({ ...ask, prompt }, callContextOf(), tools)));
  const logged = async () => (await readFile(join(folder, 'log.ndjson'), 'utf8')).slice(start).trim().split('\n');
  await expect.poll(async () => (await logged()).length).toBe(facade.usage.requests);
  const entries = (await logged()).map((line) => JSON.parse(line) as Record<string, number>);
  const sum = (key: string) => entries.reduce((total, entry) => total + (entry[key] ?? 0), 0);
  const fresh = sum('promptTokens') - sum('cachedTokens');
  const cost = (fresh * 3 + sum('cachedTokens') * 0.3 + sum('completionTokens') * 15) / 1_000_000;
  expect(sum('cachedTokens')).toBeGreaterThan(0);
  expect(costOf(facade.usage, PLANNED.pricing)).toBe(cost);
});
