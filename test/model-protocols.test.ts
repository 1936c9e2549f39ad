import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
import { MODEL_PROTOCOLS, type ModelProtocol, protocolOf, protocolOfPath } from '@data-designer/models/protocols';
import { costOf, ModelRegistry, openClient, probeModel, probeStructuredOutput } from '@data-designer/models';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { ScriptedGateway } from './conformance/scripted-gateway.ts';

const KEY = 'sesame';
const SEED = 5;
let folder: string;
let simulator: RunningSimulator;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'protocols-'));
  simulator = await startSimulator('--seed', `${SEED}`, '--api-key', KEY, '--log', join(folder, 'log.ndjson'));
});

afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** A gateway without threads, limits and journal: every call is one request to the simulator. */
class HttpGateway implements Gateway {
  readonly bodies: Record<string, unknown>[] = [];
  readonly answers: { readonly path: string; readonly body: string }[] = [];
  readonly #protocol: ModelProtocol;
  readonly #key: string;

  constructor(protocol: string, key = KEY) {
    this.#protocol = protocolOf(protocol);
    this.#key = key;
  }

  admit(): Promise<void> {
    return Promise.resolve();
  }

  async call({ resource, path, body }: Call): Promise<CallOutcome> {
    if (resource === WEB) return download(body);
    this.bodies.push(JSON.parse(body) as Record<string, unknown>);
    const { headers: own, keyHeaders } = this.#protocol;
    const headers = { 'content-type': 'application/json', ...own, ...keyHeaders(this.#key) };
    const response = await fetch(`${simulator.url}/${path}`, { method: 'POST', body, headers });
    const answer = await response.text();
    this.answers.push({ path, body: answer });
    return { status: response.status, headers: Object.fromEntries(response.headers), body: answer };
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

const NO_BUDGETS = { maxCorrectionSteps: 0, maxConversationRestarts: 0 };

function open(more: Partial<PlannedModel> = {}, { maxConversationRestarts = 0, maxCorrectionSteps = 0 } = {}) {
  const planned = { ...PLANNED, ...more };
  const gateway = new HttpGateway(planned.protocol);
  const budgets = { maxCorrectionSteps, maxConversationRestarts };
  const models = new ModelRegistry({ writer: planned }, gateway, budgets);
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

function refuseAll(): never {
  throw new ParseFailure('Too short.');
}

/** How a model is made to reason where a protocol has a parameter for that. */
const REASONING: Readonly<Record<string, Partial<PlannedModel>>> = {
  anthropic: { parameters: { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 4000 } },
  'openai-responses': { parameters: { reasoning_effort: 'low' } },
};

const NAMES = MODEL_PROTOCOLS.map(({ name }) => name);
const TAKING_SCHEMAS = MODEL_PROTOCOLS.filter(({ takesSchemas }) => takesSchemas).map(({ name }) => name);

test('protocols that share a path share the form of its answers', () => {
  const forms = MODEL_PROTOCOLS.flatMap(({ paths }) => Object.entries(paths));
  for (const [path, form] of forms) expect(protocolOfPath(path)?.paths[path]).toBe(form);
  expect(new Set(NAMES).size).toBe(NAMES.length);
});

/** What the log has of the requests to one model; the server writes it a little later. */
async function loggedOf(model: string): Promise<readonly Record<string, number>[]> {
  const lines = (await readFile(join(folder, 'log.ndjson'), 'utf8')).split('\n').filter((line) => line.endsWith('}'));
  const entries = lines.map((line) => JSON.parse(line) as Record<string, number> & { readonly model: string });
  return entries.filter((entry) => entry.model === model);
}

describe.each(NAMES)('the protocol %s', (protocol) => {
  test('sends a conversation with images and tools that a strict server accepts', async () => {
    const { facade, gateway } = open({ protocol });
    const tools = toolBox([
      { type: 'text', text: 'a map' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
    ]);
    const question = { ...ask, prompt: () => QUESTION, systemPrompt: () => 'Be brief.' };
    const { messages } = await facade.generate({ ...question, media: async () => [SHOWN] }, callContextOf(), tools);
    expect(JSON.stringify(messages)).toContain('a map');
    expect(messages.filter(({ role }) => role === 'tool').length).toBeGreaterThan(0);
    expect(facade.usage.toolTurns).toBeGreaterThan(0);
    expect(facade.usage).toMatchObject({ failedRequests: 0, unmeasuredAnswers: 0 });
    expect(JSON.stringify(gateway.bodies.at(-1))).toContain(PNG);
    for (const { path, body } of gateway.answers) {
      const form = protocolOf(protocol).paths[path];
      expect(form?.looksUsable(body)).toBe(true);
      expect(form?.problemIn(JSON.parse(body) as Record<string, unknown>)).toBeUndefined();
    }
  });

  test('sends chat parameters that its server accepts', async () => {
    const parameters = { temperature: 0.5, top_p: 0.9, max_tokens: 64, n: 3 };
    const { facade } = open({ protocol, parameters });
    const { value } = await facade.generate({ ...ask, prompt: () => 'Hi' }, callContextOf());
    expect(value.length).toBeGreaterThan(0);
  });

  test('returns arguments that are not JSON as an object', async () => {
    const { facade } = open({ protocol, model: 'sim-bad-arguments' });
    await facade.generate({ ...ask, prompt: () => QUESTION }, callContextOf(), toolBox([]));
    expect(facade.usage).toMatchObject({ failedRequests: 0 });
    expect(facade.usage.toolTurns).toBeGreaterThan(0);
  });

  test('reads reasoning, and a strict server accepts it in later turns', async () => {
    const { facade } = open(
      { protocol, ...(REASONING[protocol] ?? { model: 'sim-reasoning' }) },
      { maxCorrectionSteps: 1 },
    );
    let attempts = 0;
    const parse = (text: string) => {
      if (attempts++ === 0) throw new ParseFailure('Once more, please.');
      return text;
    };
    const tools = toolBox([{ type: 'text', text: 'x' }]);
    const { messages } = await facade.generate({ ...ask, prompt: () => QUESTION, parse }, callContextOf(), tools);
    expect(messages.filter(({ reasoning_content: reasoning }) => reasoning).length).toBeGreaterThan(2);
    expect(facade.usage).toMatchObject({ failedRequests: 0 });
    expect(facade.usage.reasoningTokens).toBeGreaterThan(0);
  });

  test('reports that an answer was cut at its token limit', async () => {
    const { facade } = open({ protocol, model: 'sim-length' });
    const asked = facade.generate({ ...ask, prompt: () => 'Hi', parse: refuseAll }, callContextOf());
    await expect(asked).rejects.toMatchObject({ code: 'model/gave-up', data: { truncation: 'max-tokens' } });
    // The parser refused the answer, so nothing uses it.
    expect(facade.usage.cutAnswers).toBe(0);
    await facade.generate({ ...ask, prompt: () => 'Hi' }, callContextOf());
    expect(facade.usage.cutAnswers).toBe(1);
  });

  test.each([
    ['sim-500', 'model/server-error'],
    ['sim-429', 'model/rate-limited'],
    ['sim-quota', 'model/quota-exceeded'],
    ['sim-too-long', 'model/context-exceeded'],
    ['sim-404', 'model/not-found'],
    ['sim-bad-json', 'model/broken-answer'],
  ])('has %s fail with %s', async (model, code) => {
    const { facade } = open({ protocol, model });
    const asked = facade.generate({ ...ask, prompt: () => 'Hi' }, callContextOf());
    await expect(asked).rejects.toMatchObject({ code });
  });

  test.each(['sim-no-choices', 'sim-choice-error'])('reports that the answer of %s cannot be used', async (model) => {
    const { facade, gateway } = open({ protocol, model });
    await facade.generate({ ...ask, prompt: () => 'Hi' }, callContextOf()).catch(() => {});
    for (const { path, body } of gateway.answers) {
      const form = protocolOf(protocol).paths[path];
      expect(form?.looksUsable(body)).toBe(false);
      expect(form?.problemIn(JSON.parse(body) as Record<string, unknown>)?.reason).toMatch(/^it|^its/);
    }
    expect(gateway.answers).toHaveLength(1);
  });

  test('reports a wrong key', async () => {
    const models = new ModelRegistry({ writer: { ...PLANNED, protocol } }, new HttpGateway(protocol, 'no'), NO_BUDGETS);
    const asked = models.facade('writer').generate({ ...ask, prompt: () => 'Hi' }, callContextOf());
    await expect(asked).rejects.toMatchObject({ code: 'model/unauthorized' });
  });

  test('makes vectors and images if it supports them, else fails with a code', async () => {
    const { generationTypes }: ModelProtocol = protocolOf(protocol);
    const vectors = open({ protocol, generationType: 'embedding' }).facade;
    const embedded = vectors.embed({ modelAlias: 'writer', texts: ['one'] }, callContextOf());
    const images = open({ protocol, generationType: 'image', model: 'sim-image' }).facade;
    const painted = images.generateImage({ modelAlias: 'writer', prompt: () => 'A cat' }, callContextOf());
    const outcomes = await Promise.allSettled([embedded, painted]);
    const unsupported = { status: 'rejected', reason: { code: 'model/unsupported-capability', data: { protocol } } };
    const expected = (['embedding', 'image'] as const).map((type) => {
      return generationTypes.includes(type) ? { status: 'fulfilled' } : unsupported;
    });
    expect(outcomes).toMatchObject(expected);
  });

  test('counts the usage that the server logs', async () => {
    const model = `counted-${protocol}`;
    const { facade } = open({ protocol, model });
    const tools = toolBox([{ type: 'text', text: 'x' }]);
    const prompts = Array.from({ length: 10 }, (_, index) => () => `What is near ${index}? Use the tool find.`);
    await Promise.all(prompts.map((prompt) => facade.generate({ ...ask, prompt }, callContextOf(), tools)));
    await expect.poll(async () => (await loggedOf(model)).length).toBe(facade.usage.requests);
    const entries = await loggedOf(model);
    const sum = (key: string) => entries.reduce((total, entry) => total + (entry[key] ?? 0), 0);
    const fresh = sum('promptTokens') - sum('cachedTokens');
    const cost = (fresh * 3 + sum('cachedTokens') * 0.3 + sum('completionTokens') * 15) / 1_000_000;
    expect(sum('cachedTokens')).toBeGreaterThan(0);
    expect(costOf(facade.usage, PLANNED.pricing)).toBe(cost);
  });
});

test('arguments that are not JSON are sent back as an empty object and kept in the trace', async () => {
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

test('signed thinking is sent back to the server that signed it, also in corrections', async () => {
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

const SCHEMA = {
  type: 'object',
  properties: { question: { type: 'string', minLength: 1 }, points: { type: 'integer' }, hint: { type: 'string' } },
  required: ['question', 'points'],
};

function mended(text: string, mend?: (data: CellValue) => CellValue): CellValue | undefined {
  return mend?.(parseJson(text));
}

describe.each(TAKING_SCHEMAS)('structured output over %s', (protocol) => {
  test('a strict endpoint accepts the sent schema, and answers are checked against the original', async () => {
    const { facade, gateway } = open({ protocol, structuredOutput: true });
    const asked = Array.from({ length: 12 }, (_, index) =>
      facade.generate({ ...ask, prompt: () => `Quiz ${index}`, shape: SCHEMA, parse: mended }, callContextOf()),
    );
    const values = (await Promise.all(asked)).map(({ value }) => value);
    expect(JSON.stringify(gateway.bodies[0])).toContain('"strict":true');
    for (const value of values) {
      expect(value).toMatchObject({ question: expect.any(String) as string, points: expect.any(Number) as number });
      expect(value).not.toMatchObject({ hint: null });
    }
  });

  test('an endpoint that refuses schemas costs no row', async () => {
    const { facade, gateway } = open({ protocol, structuredOutput: true, model: 'sim-no-schema' });
    const { value } = await facade.generate({ ...ask, prompt: () => 'Hi', shape: SCHEMA }, callContextOf());
    expect(value.length).toBeGreaterThan(0);
    expect(gateway.bodies.map((body) => JSON.stringify(body).includes('json_schema'))).toEqual([true, false]);
  });

  test.each([
    ['sim-small', true],
    ['sim-no-schema', false],
    ['sim-ignores-schema', false],
  ])('the probe finds out whether %s can be held to a schema: %s', async (model, holds) => {
    const planned = { ...PLANNED, protocol, model };
    const client = openClient(new HttpGateway(planned.protocol), planned);
    await probeModel(client, planned);
    expect(await probeStructuredOutput(client, planned)).toMatchObject({ structuredOutput: holds });
  });
});

test.each(NAMES.filter((name) => !TAKING_SCHEMAS.includes(name)))(
  'a request to %s carries no schema',
  async (protocol) => {
    const { facade, gateway } = open({ protocol, structuredOutput: true });
    await facade.generate({ ...ask, prompt: () => 'Hi', shape: SCHEMA }, callContextOf());
    expect(JSON.stringify(gateway.bodies)).not.toContain('schema');
  },
);

test.each(['float', 'base64'])('vectors are read as %s', async (encoding) => {
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
])('images are requested by %s with %j', async (model, parameters) => {
  const { facade } = open({ generationType: 'image', model, parameters });
  const pictures = await facade.generateImage({ modelAlias: 'writer', prompt: () => 'A cat' }, callContextOf());
  expect(pictures).toMatchObject([{ mediaType: 'image/png' }]);
  expect(
    Buffer.from(pictures[0]?.base64 ?? '', 'base64')
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
  const planned = { ...PLANNED, generationType: 'image', model } as const;
  await expect(probeModel(openClient(new HttpGateway(planned.protocol), planned), planned)).resolves.toBeUndefined();
});
