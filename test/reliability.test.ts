import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';

interface Asked {
  readonly at: number;
  readonly url: string;
  readonly model: string;
  /** The last message as text. */
  readonly text: string;
}

type Answer = (asked: Asked, response: ServerResponse) => void;

let folder: string;
let server: Server;
let asked: Asked[];
let answer: Answer;
let designer: DataDesigner;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reliability-'));
  asked = [];
  server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});

afterEach(async () => {
  await designer[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  const { model, messages } = JSON.parse(body) as { model: string; messages: readonly { content: unknown }[] };
  const one = { at: performance.now(), url: request.url ?? '', model, text: JSON.stringify(messages.at(-1)?.content) };
  asked.push(one);
  answer(one, response);
}

const say =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

const OK = say(200, {
  choices: [{ message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop' }],
  content: [{ type: 'text', text: 'fine' }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
});

const addressOf = (one: Server) => `http://127.0.0.1:${(one.address() as AddressInfo).port}/v1`;

function open(
  more: { readonly endpoint?: string; readonly providerType?: string; readonly apiKey?: string } = {},
): void {
  const provider = { name: 'faulty', endpoint: addressOf(server), providerType: 'openai', apiKey: null };
  const models = [{ ...provider, extraBody: null, extraHeaders: null, ...more }];
  designer = new DataDesigner({ artifactPath: folder, providers: { models, tools: [] }, runConfig: { seed: 1 } });
}

/** Rows that are numbered from 0, and what models make of them, one request at a time unless said. */
function declare(columns: readonly object[], parameters: object = {}) {
  const inference_parameters = { max_parallel_requests: 1, ...parameters };
  const model = { alias: 'writer', model: 'm', provider: 'faulty', skip_health_check: true, inference_parameters };
  const id = { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} };
  return { document: { model_configs: [model], columns: [id, ...columns] }, source: 'the test' };
}

const written = (name: string, prompt: string, more: object = {}) => ({
  name,
  column_type: 'llm-text',
  model_alias: 'writer',
  prompt,
  ...more,
});
const SIMPLE = [written('a', 'Say {{ id }}.')];

const preview = (
  columns: readonly object[],
  { rows = 6, ...parameters }: { rows?: number } & Record<string, unknown> = {},
) => designer.preview(declare(columns, parameters), { numRecords: rows });

const failure = async (running: Promise<unknown>) => running.catch((thrown: unknown) => thrown) as Promise<Error>;

/**
 * The requests that came before a rate allowed them, by their number: `burst` at once, then `perSecond`. It counts from a time
 * before the first request, and a busy machine only delays requests, so that none seems early for its sake.
 */
function early(since: number, { burst, perSecond }: { readonly burst: number; readonly perSecond: number }) {
  const allowedAt = (index: number) => since + (Math.max(0, index + 1 - burst) * 1000) / perSecond;
  return asked.flatMap(({ at }, index) => (at < allowedAt(index) ? [index] : []));
}

test(
  'a model gets no more requests than its rate per minute, retries included, and progress names the rate',
  { tags: 'long' },
  async () => {
    open();
    answer = (one, response) => (asked.length === 5 ? say(500, {}) : OK)(one, response);
    const waits: unknown[] = [];
    const since = performance.now();
    const results = await designer.create(declare(SIMPLE, { max_parallel_requests: 8, requests_per_minute: 1200 }), {
      numRecords: 24,
      onEvent: (event) => event.type === 'progress' && waits.push(event.snapshot.models[0]?.rateWait),
    });
    expect(results.count).toBe(24);
    expect(asked.length).toBe(25);
    // Without a rate 8 are in flight all the time.
    expect(early(since, { burst: 5, perSecond: 20 })).toEqual([]);
    expect(waits).toContain('requests_per_minute');
  },
);

test('a model gets no more tokens than its rate per minute, as its answers tell them', async () => {
  open();
  answer = OK;
  // 5 tokens an answer: 40 answers a second.
  const rates = { max_parallel_requests: 8, tokens_per_minute: 12_000 };
  const since = performance.now();
  const { count } = await preview(SIMPLE, { rows: 60, ...rates });
  expect(count).toBe(60);
  // The tokens of requests in flight are not known yet.
  expect(early(since, { burst: 10 + 8, perSecond: 40 })).toEqual([]);
});

test('a cell that fails before its request releases its permit', async () => {
  open();
  answer = OK;
  const media = [{ modality: 'image', column_name: 'id' }];
  const look = written('a', 'Look.', { on_failure: 'null', multi_modal_context: media });
  const { count } = await preview([look, written('b', 'And {{ a }}?')]);
  expect(count).toBe(6);
  expect(asked).toHaveLength(6);
});

test('a cell whose prompt renders to nothing releases its permit', async () => {
  open();
  answer = OK;
  const empty = written('a', '{{ id[:0] }}', { on_failure: 'null' });
  const { count } = await preview([empty, written('b', 'And {{ a }}?')]);
  expect(count).toBe(6);
});

test('a cell that its protocol cannot express releases its permit', async () => {
  open({ providerType: 'anthropic' });
  answer = OK;
  const media = [{ modality: 'audio', column_name: 'id', data_type: 'url' }];
  const listen = written('a', 'Listen.', { on_failure: 'null', multi_modal_context: media });
  const { count } = await preview([listen, written('b', 'And {{ a }}?')]);
  expect(count).toBe(6);
});

test(
  'an endpoint that refuses all requests ends the run with its message, and the time to come back',
  { tags: 'long' },
  async () => {
    open();
    answer = say(429, { error: { message: 'The daily limit is reached' } }, { 'retry-after': '100000' });
    const running = designer.create(declare(SIMPLE, { max_parallel_requests: 4, total_timeout: 2 }), {
      numRecords: 60,
    });
    const thrown = await failure(running);
    expect(thrown).toMatchObject({ code: 'model/asked-to-wait' });
    expect(thrown.message).toContain('The daily limit is reached');
    expect(thrown.message).toMatch(/No row is lost, and finished answers are saved. Resume after that time/);
    expect(asked.length).toBeLessThan(12);

    answer = OK;
    const { count, lost } = await designer.create(declare(SIMPLE), { numRecords: 60, resume: 'always' });
    expect({ count, lost }).toEqual({ count: 60, lost: [] });
  },
);

test('429 for half of the requests and a short timeout per attempt lose no row', { tags: 'long' }, async () => {
  open();
  answer = (...exchange) => (asked.length % 2 === 0 ? say(429, {}, { 'retry-after': '0.3' }) : OK)(...exchange);
  const { count, lost } = await preview(SIMPLE, { rows: 12, max_parallel_requests: 2, timeout: 1 });
  expect({ count, lost }).toEqual({ count: 12, lost: [] });
});

test(
  'an unreachable endpoint ends the run, named once, and a resume continues once it is reachable',
  { tags: 'long' },
  async () => {
    open({ endpoint: 'http://127.0.0.1:1/v1' });
    const few = { numRecords: 40, datasetName: 'made' };
    const thrown = await failure(designer.create(declare(SIMPLE, { timeout: 2 }), few));
    expect(thrown).toMatchObject({ code: 'model/unreachable' });
    expect(thrown.message.match(/ECONNREFUSED/g)).toHaveLength(1);
    expect(existsSync(join(folder, 'made', 'run.json'))).toBe(true);
    await designer[Symbol.asyncDispose]();
    open();
    answer = OK;
    expect((await designer.create(declare(SIMPLE), { ...few, resume: 'always' })).count).toBe(40);
  },
);

test.each([
  [403, 'Your input was flagged by moderation'],
  [404, 'No endpoints found that support this input'],
  [400, 'content filter: "quota exceeded, insufficient_quota"'],
])('a refusal of one request (%i) costs its row only', { tags: 'long' }, async (status, message) => {
  open();
  const texts: string[] = [];
  answer = (one, response) => {
    if (!texts.includes(one.text)) texts.push(one.text);
    const isRefused = texts.indexOf(one.text) % 5 === 4;
    (isRefused ? say(status, { error: { message } }) : OK)(one, response);
  };
  const { lost, count } = await preview(SIMPLE, { rows: 20, max_parallel_requests: 8 });
  expect(count).toBe(16);
  expect(lost).toMatchObject([
    { code: 'model/rejected', rows: 4, message: expect.stringContaining(message) as string },
  ]);
});

test('a run waits for a quota per minute', async () => {
  open();
  const message = 'Quota exceeded for metric: requests per minute, limit: 10. Please retry in 0.05s.';
  const refusal = say(429, [{ error: { code: 429, message, status: 'RESOURCE_EXHAUSTED' } }]);
  answer = (...exchange) => (asked.length % 3 === 1 ? refusal : OK)(...exchange);
  const { count, lost } = await preview(SIMPLE, { max_parallel_requests: 4 });
  expect({ count, lost }).toEqual({ count: 6, lost: [] });
});

test.each([
  ['a page', '<html>busy</html>', 'text/html'],
  ['half an answer', '{"choices":[{"mess', 'application/json'],
  ['nothing', '', 'application/json'],
  ['an error that says to come back', '{"error":{"message":"try again in 0.05s","code":429}}', 'application/json'],
])('an occasional %s in place of an answer costs no row', { tags: 'long' }, async (_, body, type) => {
  open();
  answer = (one, response) => {
    if (asked.length % 4 === 1) response.writeHead(200, { 'content-type': type }).end(body);
    else OK(one, response);
  };
  const { count, lost } = await preview(SIMPLE, { max_parallel_requests: 4 });
  expect({ count, lost }).toEqual({ count: 6, lost: [] });
});

test('an answer with a wrong content type is read', async () => {
  open();
  answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end('{"choices":[{"message":{"content":"fine"}}]}');
  };
  expect((await preview(SIMPLE)).count).toBe(6);
});

test('a redirect ends the run with the new address', async () => {
  open();
  answer = (_, response) => void response.writeHead(308, { location: 'https://elsewhere.example/v1' }).end();
  const thrown = await failure(preview(SIMPLE, { rows: 30 }));
  expect(thrown).toMatchObject({ code: 'model/not-found' });
  expect(thrown.message).toContain('it redirects to https://elsewhere.example/v1');
  expect(asked).toHaveLength(1);
});

test('a key that no header can hold ends the run before a request and is not printed', async () => {
  open({ apiKey: 'sk-äöü-secret' });
  const thrown = await failure(preview(SIMPLE));
  expect(thrown).toMatchObject({ code: 'model/unusable-provider' });
  expect(thrown.message).toContain("Model provider 'faulty'");
  expect(thrown.message).not.toContain('secret');
  expect(asked).toHaveLength(0);
});
