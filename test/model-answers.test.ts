import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, type DataDesignerOptions } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** What a request says; the model's name chooses the answer. */
interface Asked {
  readonly model: string;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: object;
}

interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly body: unknown;
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function said(content: string | null, message: object = {}, finish = 'stop'): Reply {
  const choices = [{ index: 0, message: { role: 'assistant', content, ...message }, finish_reason: finish }];
  return { body: { choices, usage: USAGE } };
}

const NULLED = '{"a":"x","b":null}';
const REPLIES: Readonly<Record<string, (asked: Asked) => Reply>> = {
  bare: () => said(NULLED),
  thinks: () => said(`<think>Perhaps {"a":1}?</think>\n${NULLED}`),
  fences: () => said(`Here:\n\`\`\`json\n${NULLED}\n\`\`\``),
  refuses: () => said(null, { refusal: 'I cannot help with that.' }),
  filtered: () => said('', {}, 'content_filter'),
  empty: () => said(''),
  writes: () => said('Fine.'),
  plain: () => ({ ...said('Fine.'), type: 'text/plain' }),
  nothing: () => ({ body: { choices: [], usage: USAGE } }),
  unpainted: () => said('I cannot draw that.'),
  'gpt-image-garbled': () => ({
    body: { data: [{ b64_json: 'AAAA' }], usage: { input_tokens: 10, output_tokens: 5 } },
  }),
  strict: ({ response_format: format }) => {
    const refusal = /"(?:minLength|uniqueItems|uri)"|"enum":\[[^\]]*\],"description/.exec(JSON.stringify(format));
    const message = `Invalid schema for response_format 'answer': ${refusal?.[0] ?? ''}`;
    return refusal ? { status: 400, body: { error: { message } } } : said('{"a":"https://a.example/"}');
  },
  signs: ({ messages = [] }) => said(`no ${messages.length}`, { hint: 7, reasoning_details: [{ data: 'x' }] }),
  counts: ({ messages = [] }) => said(messages.length === 1 ? '{"n":12345678901234567890}' : '{"n":5}'),
};

let folder: string;
let server: Server;
let asked: Asked[];
let datasets: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'model-answers-'));
  asked = [];
  datasets = 0;
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const question = JSON.parse(body) as Asked;
      asked.push(question);
      const reply = REPLIES[question.model]?.(question) ?? { status: 404, body: {} };
      response.writeHead(reply.status ?? 200, { 'content-type': reply.type ?? 'application/json' });
      response.end(JSON.stringify(reply.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const PRICES = { input: 1, output: 2, image: 0.25 };
const ID = { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} };

/** A dataset of one column, written by the models of the replies. */
async function create(column: object, { rows = 2, ...runConfig }: Making = {}) {
  const provider = { name: 'mine', endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
  await using designer = new DataDesigner({
    artifactPath: folder,
    providers: {
      models: [{ ...provider, providerType: 'openai', apiKey: null, extraBody: null, extraHeaders: null }],
      tools: [],
    },
    runConfig: { seed: 3, maxConversationRestarts: 0, ...runConfig },
  });
  const models = Object.keys(REPLIES).map((model) => ({
    alias: model,
    model,
    provider: 'mine',
    skip_health_check: true,
    structured_output: true,
    pricing: PRICES,
    inference_parameters: model.includes('image') || model === 'unpainted' ? { generation_type: 'image' } : {},
  }));
  const declared = { model_configs: models, columns: [ID, { name: 'out', ...column }] };
  const made = { document: declared, source: 'the test' };
  const results = await designer.create(made, { numRecords: rows, datasetName: `made${++datasets}` });
  const { count, usage, lost, ended } = results;
  return { count, usage, lost, ended, records: await Array.fromAsync(results.records()) };
}

type Making = NonNullable<DataDesignerOptions['runConfig']> & { readonly rows?: number };

const PAIR = {
  column_type: 'llm-structured',
  prompt: '{{ id }}',
  output_format: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] },
};
const TEXT = { column_type: 'llm-text', prompt: '{{ id }}' };

function failures(): { readonly code: string; readonly message: string }[] {
  const lines = readFileSync(join(folder, `made${datasets}`, 'failures.jsonl'), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as { code: string; message: string });
}

test.each(['bare', 'thinks', 'fences'])(
  'nulls that only a strict schema requires are removed from an answer that is %s',
  { tags: 'long' },
  async (model) => {
    const { records, count } = await create({ ...PAIR, model_alias: model });
    expect(asked[0]?.response_format).toMatchObject({ json_schema: { strict: true } });
    expect(asked).toHaveLength(2);
    expect(count).toBe(2);
    for (const { out } of records) expect(out).toEqual({ a: 'x', b: null });
  },
);

test('schema keywords that strict endpoints refuse are not sent but still checked', async () => {
  const a = { type: 'string', format: 'uri', minLength: 10 };
  const output_format = { type: 'object', properties: { a }, required: ['a'] };
  expect(await create({ ...PAIR, output_format, model_alias: 'strict' })).toMatchObject({ count: 2 });
  expect(asked).toHaveLength(2);
  const longer = { type: 'object', properties: { a: { ...a, minLength: 100 } }, required: ['a'] };
  const { records } = await create({ ...PAIR, output_format: longer, model_alias: 'strict', on_failure: 'null' });
  expect(records).toMatchObject([{ out: null }, { out: null }]);
  expect(failures()).toMatchObject([{ code: 'model/gave-up' }, { code: 'model/gave-up' }]);
});

test.each([
  ['refuses', /it is a refusal: I cannot help with that/],
  ['filtered', /a content filter blocked the text/],
])(
  'a model that %s fails its cell or leads to the fallback model, not to an empty cell',
  { tags: 'long' },
  async (model, words) => {
    const fallen = await create({ ...TEXT, model_alias: model, fallback_model_alias: 'writes' });
    expect(fallen.records).toMatchObject([{ out: 'Fine.' }, { out: 'Fine.' }]);
    const { lost, count } = await create({ ...TEXT, model_alias: model, on_failure: 'null' });
    expect([count, lost]).toEqual([2, []]);
    expect(failures()).toMatchObject([{ code: 'model/bad-answer' }, { code: 'model/bad-answer' }]);
    for (const { message } of failures()) expect(message).toMatch(words);
  },
);

test('fields of an answer go back with a correction, never to the fallback model, and a second run sends the same', async () => {
  const column = { ...PAIR, model_alias: 'signs', fallback_model_alias: 'bare' };
  const { count } = await create(column, { maxConversationCorrectionSteps: 1 });
  expect(count).toBe(2);
  const first = asked.map((request) => JSON.stringify(request)).toSorted();
  const back = first.filter((request) => request.includes('"hint":7,"reasoning_details":[{"data":"x"}]'));
  expect(back.map((request) => request.includes('"model":"signs"'))).toEqual([true, true]);
  asked = [];
  await create(column, { maxConversationCorrectionSteps: 1 });
  expect(asked.map((request) => JSON.stringify(request)).toSorted()).toEqual(first);
});

test('unexplained empty text is an empty cell, and JSON of another content type is an answer', async () => {
  expect((await create({ ...TEXT, model_alias: 'empty' })).records).toMatchObject([{ out: '' }, { out: '' }]);
  expect((await create({ ...TEXT, model_alias: 'plain' })).records).toMatchObject([{ out: 'Fine.' }, { out: 'Fine.' }]);
});

const PICTURE = { column_type: 'image', prompt: '{{ id }}' };

test.each([
  { what: 'an answer that holds nothing', column: TEXT, model: 'nothing', pictures: 0, answers: 3 },
  { what: 'a refusal', column: TEXT, model: 'refuses', pictures: 0, answers: 1 },
  { what: 'words in place of a picture', column: PICTURE, model: 'unpainted', pictures: 0, answers: 1 },
  { what: 'a picture that is none', column: PICTURE, model: 'gpt-image-garbled', pictures: 1, answers: 1 },
])(
  '$what is paid, and usage agrees with the budget',
  { tags: 'long' },
  async ({ column, model, pictures, answers }) => {
    const own = { ...column, model_alias: model, on_failure: 'null' };
    const each = (10 * PRICES.input + 5 * PRICES.output) / 1_000_000 + pictures * PRICES.image;
    const { usage } = await create(own, { rows: 3 });
    expect(usage[model]).toMatchObject({
      inputTokens: 30 * answers,
      outputTokens: 15 * answers,
      pictures: 3 * pictures,
    });
    expect(usage[model]?.cost).toBeCloseTo(3 * answers * each, 12);
    // Where no row was made before the budget was spent, the run fails with that.
    const ending = await create(own, { rows: 40, maxCost: 2.5 * each }).catch((thrown: unknown) => ({
      ended: thrown,
      count: 0,
    }));
    expect(ending.ended).toMatchObject({
      code: 'run/budget-spent',
      message: expect.stringContaining(`cost ${Number((3 * each).toPrecision(6))}.`) as string,
    });
    expect(ending.count).toBeLessThan(40);
  },
);

test('a correction quotes numbers with the digits that the model wrote', async () => {
  const output_format = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const { records } = await create(
    { ...PAIR, output_format, model_alias: 'counts' },
    { rows: 1, maxConversationCorrectionSteps: 1 },
  );
  expect(records).toMatchObject([{ out: { n: 5 } }]);
  expect(asked[1]?.messages?.at(-1)?.content).toContain(
    "'n' must fit in 64 bits, from -9223372036854775808 to 9223372036854775807, but it is 12345678901234567890.",
  );
});
