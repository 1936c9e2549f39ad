import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner } from 'data-designer';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';

interface Posted {
  readonly data: readonly Readonly<Record<string, unknown>>[];
}

/** Answers one request; what it was posted stands in `posts` already. */
type Answer = (posted: Posted, response: ServerResponse, request: IncomingMessage) => void;

const folder = mkdtempSync(join(tmpdir(), 'remote-'));
/** One for most: its threads are loaded once. */
const shared = designer();
let server: Server;
let address: string;
let posts: Posted[];
let answer: Answer;

beforeEach(async () => {
  posts = [];
  answer = (posted, response) => reply(response, verdicts(posted));
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      const posted = JSON.parse(body) as Posted;
      posts.push(posted);
      answer(posted, response, request);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/check?token=hidden`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
});

afterAll(async () => {
  await shared[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function reply(response: ServerResponse, body: unknown, status = 200): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

/** A number is valid where it is even; the note says which it was. */
function verdicts({ data }: Posted): object {
  return { data: data.map(({ number }) => ({ is_valid: Number(number) % 2 === 0, note: `of ${String(number)}` })) };
}

const numbers = Array.from({ length: 100 }, (_, number) => number);

/** A dataset whose rows are checked by the server. */
function declared(params: object = {}, more: object = {}, others: readonly object[] = []) {
  const check = {
    name: 'check',
    column_type: 'validation',
    target_columns: ['number'],
    validator_type: 'remote',
    validator_params: { endpoint_url: address, retry_backoff: 1.01, ...params },
    ...more,
  };
  const number = { name: 'number', column_type: 'sampler', sampler_type: 'category', params: { values: numbers } };
  const said = { name: 'said', column_type: 'expression', expr: '{{ number }}: {{ check.is_valid }} {{ check.note }}' };
  return { document: { columns: [number, ...others, check, ...(more ? [said] : [])] }, source: 'the test' };
}

function designer(runConfig: object = {}, privateAddresses = true): DataDesigner {
  return new DataDesigner({
    artifactPath: folder,
    runConfig: { seed: 7, ...runConfig },
    permissions: { privateAddresses },
  });
}

type Row = {
  readonly number: number;
  readonly said: string;
  readonly check: { is_valid: boolean | null; note?: string };
};

async function rowsOf(dataset: { records(): AsyncIterable<unknown> }): Promise<readonly Row[]> {
  return (await Array.fromAsync(dataset.records())) as readonly Row[];
}

test('rows are posted in batches with their target columns, and each gets its verdict', { tags: 'long' }, async () => {
  const rows = await rowsOf(await shared.preview(declared({}, { batch_size: 4 }), { numRecords: 10 }));
  expect(posts.map(({ data }) => data.length).toSorted((a, b) => a - b)).toEqual([2, 4, 4]);
  expect(Object.keys(posts[0]?.data[0] ?? {})).toEqual(['number']);
  expect(rows.map(({ check, said }) => ({ check, said }))).toEqual(
    rows.map(({ number }) => {
      const isValid = number % 2 === 0;
      const said = `${number}: ${isValid ? 'True' : 'False'} of ${number}`;
      return { check: { is_valid: isValid, note: `of ${number}` }, said };
    }),
  );
});

test('skipped and lost rows do not shift the verdicts', { tags: 'long' }, async () => {
  await using made = designer({ bufferSize: 7 });
  const others = [
    { name: 'half', column_type: 'expression', dtype: 'int', expr: "{{ number if number % 3 else 'none' }}" },
  ];
  const skip = { skip: { when: '{{ number % 5 == 0 }}', value: null } };
  const results = await made.preview(
    declared({}, { batch_size: 3, target_columns: ['number', 'half'], ...skip }, others),
    {
      numRecords: 40,
    },
  );
  const rows = await rowsOf(results);
  expect(rows.length).toBeLessThan(40);
  expect(rows.length).toBeGreaterThan(15);
  for (const { number, check } of rows) {
    expect(check).toEqual(number % 5 === 0 ? null : { is_valid: number % 2 === 0, note: `of ${number}` });
  }
  expect(posts.flatMap(({ data }) => data).filter(({ number }) => Number(number) % 5 === 0)).toEqual([]);
});

test('a transient failure is retried as often as configured', { tags: 'long' }, async () => {
  const told = [503, 429, 200];
  answer = (posted, response) => {
    const status = told.shift() ?? 200;
    if (status === 429) response.setHeader('retry-after', '0');
    reply(response, status === 200 ? verdicts(posted) : { error: 'later' }, status);
  };
  const rows = await rowsOf(await shared.preview(declared({ max_retries: 2 }), { numRecords: 4 }));
  expect(rows.every(({ check }) => check.is_valid !== null)).toBe(true);
  expect(posts).toHaveLength(3);
});

const spoilt: Answer = (posted, response) => {
  if (posted.data.some(({ number }) => number === 13)) reply(response, { detail: 'out of luck' }, 500);
  else reply(response, verdicts(posted));
};

test('a batch that fails has no verdict, its rows continue, and the cause is reported', { tags: 'long' }, async () => {
  answer = spoilt;
  await using made = designer({ disableEarlyShutdown: true });
  const results = await made.create(declared({ max_retries: 1 }, { batch_size: 2 }), {
    numRecords: 300,
    datasetName: 'd',
  });
  const rows = await rowsOf(results);
  expect(rows).toHaveLength(300);
  const unjudged = rows.filter(({ check }) => check.is_valid === null);
  expect(unjudged.some(({ number }) => number === 13)).toBe(true);
  expect(rows.filter(({ number, check }) => number === 13 && check.is_valid !== null)).toEqual([]);
  const failures = await Array.fromAsync(results.failures());
  expect(failures).toHaveLength(unjudged.length);
  expect(failures[0]).toMatchObject({ column: 'check', code: 'validator/failed', onFailure: 'null' });
  expect(failures[0]?.message).toContain('status 500');
  expect(failures[0]?.message).not.toContain('hidden');
  expect(results.failedCells).toMatchObject([{ column: 'check', code: 'validator/failed', cells: unjudged.length }]);
});

test.each([
  ['drop_row', 'run/no-rows'],
  ['abort', 'run/cell-failed'],
])('on_failure: %s is respected', async (on_failure, code) => {
  answer = (_, response) => reply(response, 'no', 500);
  const work = shared.preview(declared({ max_retries: 0 }, { on_failure }), { numRecords: 3 });
  await expect(work).rejects.toMatchObject({ code, message: expect.stringContaining('status 500') });
});

test.each<[string, Answer, RegExp]>([
  ['a page', (_, response) => reply(response, '<html>hello</html>'), /it is not valid JSON: <html>hello/],
  ['half an answer', (_, response) => reply(response, '{"data": [{"is_val'), /it is not valid JSON/],
  ['nothing', (_, response) => reply(response, ''), /it is empty/],
  ['another shape', (_, response) => reply(response, { rows: [] }), /not an object with a list 'data'/],
  ['fewer rows', (_, response) => reply(response, { data: [] }), /it has 0 results for 3 rows/],
  [
    'rows without is_valid',
    ({ data }, response) => reply(response, { data: data.map(() => ({ valid: true })) }),
    /row 1 of its 'data' is not an object with 'is_valid'/,
  ],
  ['a very long answer', (_, response) => reply(response, ' '.repeat(40_000_000)), /longer than 33554432 bytes/],
  ['a nest without end', (_, response) => reply(response, `{"data":${'['.repeat(100_000)}`), /it is not valid JSON/],
])('%s is not an answer and is reported', { tags: 'long' }, async (_, how, words) => {
  answer = how;
  const messages: string[] = [];
  const results = await shared.create(declared({ max_retries: 0 }), { numRecords: 3, datasetName: 'd' });
  for await (const { message } of results.failures()) messages.push(message);
  expect((await rowsOf(results)).map(({ check }) => check)).toEqual(
    numbers.slice(0, 3).map(() => ({ is_valid: null })),
  );
  expect(messages[0]).toMatch(words);
});

test('answers are checked against the schema', async () => {
  const row = { type: 'object', properties: { is_valid: { type: 'boolean' }, note: { type: 'string' } } };
  const output_schema = { type: 'object', properties: { data: { type: 'array', items: row } } };
  const rows = await rowsOf(await shared.preview(declared({ output_schema }), { numRecords: 3 }));
  expect(rows.every(({ check }) => check.is_valid !== null)).toBe(true);
  answer = ({ data }, response) => reply(response, { data: data.map(() => ({ is_valid: true, extra: 1 })) });
  const results = await shared.create(declared({ output_schema, max_retries: 0 }), { numRecords: 3, datasetName: 'd' });
  const [failure] = await Array.fromAsync(results.failures());
  expect(failure).toMatchObject({ code: 'validator/bad-answer' });
  expect(failure?.message).toContain("may not have a property 'extra'");
});

test.each<[string, Answer, RegExp]>([
  ['404', (_, response) => reply(response, { detail: 'no such thing' }, 404), /status 404.*no such thing/],
  [
    'a redirect that would lose what is posted',
    (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
    /status 302: it redirects/,
  ],
])('a failure that concerns every batch ends the run: %s', async (_, how, words) => {
  answer = how;
  const work = shared.preview(declared({ max_parallel_requests: 1 }), { numRecords: 200 });
  await expect(work).rejects.toMatchObject({ code: 'validator/failed', message: expect.stringMatching(words) });
  expect(posts).toHaveLength(1);
});

test('an unreachable validator ends the run after the configured retries', async () => {
  server.close();
  const work = shared.preview(declared({ max_retries: 1 }), { numRecords: 20 });
  await expect(work).rejects.toMatchObject({
    code: 'validator/failed',
    message: expect.stringContaining('no server is listening at this address'),
  });
});

test('a validator without a usable answer gets few requests', async () => {
  answer = (_, response) => reply(response, { data: [] });
  const params = { max_retries: 0, max_parallel_requests: 1 };
  await expect(shared.preview(declared(params), { numRecords: 500 })).rejects.toMatchObject({
    code: 'validator/bad-answer',
    message: expect.stringContaining('it has 0 results for 10 rows. All its answers were unusable'),
  });
  expect(posts.length).toBeLessThan(8);
});

test('parallel requests and the timeout of a validator are limited as configured', { tags: 'long' }, async () => {
  let underWay = 0;
  let most = 0;
  answer = (posted, response) => {
    most = Math.max(most, ++underWay);
    setTimeout(() => {
      underWay--;
      reply(response, verdicts(posted));
    }, 20);
  };
  await shared.preview(declared({ max_parallel_requests: 2 }, { batch_size: 1 }), { numRecords: 12 });
  expect(most).toBe(2);
  answer = () => {};
  const results = await shared.create(declared({ timeout: 0.05, max_retries: 1 }), { numRecords: 3, datasetName: 'd' });
  const [failure] = await Array.fromAsync(results.failures());
  expect(failure?.message).toContain('did not answer within 0.05 seconds');
});

test('a resume repeats no answered validation', async () => {
  let left = 6;
  const stop = new AbortController();
  answer = (posted, response) => {
    if (left-- > 0) reply(response, verdicts(posted));
    else stop.abort();
  };
  const options = { numRecords: 20, datasetName: 'd' };
  const config = declared({ max_parallel_requests: 1 }, { batch_size: 2 });
  {
    await expect(shared.create(config, { ...options, signal: stop.signal })).rejects.toMatchObject({
      code: 'run/aborted',
    });
  }
  const asked = posts.slice(0, 6).flatMap(({ data }) => data);
  posts = [];
  left = Infinity;
  const rows = await rowsOf(await shared.create(config, { ...options, resume: 'always' }));
  expect(rows).toHaveLength(20);
  expect(rows.every(({ number, check }) => check.is_valid === (number % 2 === 0))).toBe(true);
  expect(posts).toHaveLength(4);
  expect(asked).toHaveLength(12);
});

test('a private validator address is a mistake unless allowed, and its query is not printed', async () => {
  await using made = designer({}, false);
  const { violations } = await made.check(declared());
  expect(violations.filter(({ level }) => level === 'ERROR')).toEqual([
    expect.objectContaining({ type: 'address_refused', columnName: 'check', stage: 'run' }),
  ]);
  expect(JSON.stringify(violations)).not.toContain('hidden');
  await expect(made.preview(declared(), { numRecords: 1 })).rejects.toMatchObject({ code: 'config/invalid' });
  // A name shows where it leads only when it is looked up.
  const named = { endpoint_url: address.replace('127.0.0.1', 'localhost') };
  await expect(made.preview(declared(named), { numRecords: 1 })).rejects.toMatchObject({
    code: 'validator/failed',
    message: expect.stringContaining('--allow-private'),
  });
  expect(posts).toEqual([]);
});

test('a rehearsal calls no validator', async () => {
  await shared.rehearse(declared(), { numRecords: 10 });
  expect(posts).toEqual([]);
});
