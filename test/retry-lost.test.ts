import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CreateOptions, DataDesigner, DataDesignerConfigBuilder, loadDataset, openViewer } from 'data-designer';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { openBrowser, whyNoBrowser } from '../packages/bench/test/chromium.ts';
import { program, runCommand, startDataDesigner } from './command-line.ts';
import { go, openPage, textOf, untilText } from './opened-page.ts';

let folder: string;
let server: AnsweringServer;
/** How often each request was answered with something of use. */
let answered: Map<string, number>;
/** All requests that the server got, and those that it refused. */
let received = 0;
let refused = 0;
/** Whether the server is out of order for some rows, for all, or for the requests with results of tools. */
let isBroken: boolean | 'all' | 'tools' = false;
let delayMs = 0;
/** What holds all answers back. */
let gate: PromiseWithResolvers<void> | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'retry-lost-'));
  server = await openAnsweringServer(async (text, response) => {
    const number = createHash('sha256').update(text).digest().readUInt32BE(0);
    const id = Number(/id (\d+)/.exec(text)?.[1] ?? 0);
    const isJudge = text.includes('"judge"');
    received++;
    if (delayMs > 0) await sleep(delayMs);
    await gate?.promise;
    if (isBroken === 'tools') {
      if (text.includes('"role":"tool"')) return refuse(response);
    } else if (isBroken === 'all' && isJudge) return reply(response, completion('no number'));
    if (isBroken && isJudge && id % 5 === 0) return reply(response, completion('no number'));
    if (isBroken && isJudge && id % 7 === 0) return refuse(response);
    if (text.includes('"moody"') && id % 3 === 0) return reply(response, completion('no json'));
    answered.set(text, (answered.get(text) ?? 0) + 1);
    if (isJudge) return reply(response, completion(JSON.stringify({ points: number % 10 })));
    if (text.includes('"moody"')) return reply(response, completion(JSON.stringify({ mood: `mood ${number}` })));
    const isCalling = text.includes('"tools"') && !text.includes('"role":"tool"') && number % 2 === 0;
    const call = { id: `c${number}`, type: 'function', function: { name: 'get_fact', arguments: '{"topic":"bees"}' } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    const called = {
      choices: [{ message, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 9, completion_tokens: 2 },
    };
    return reply(
      response,
      isCalling ? called : completion(`answer ${number}`, { prompt_tokens: 7, completion_tokens: 3 }),
    );
  });
});
beforeEach(() => {
  answered = new Map();
  received = refused = 0;
  isBroken = false;
});
afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

function refuse(response: ServerResponse): void {
  refused++;
  reply(response, { error: { message: 'not today' } }, { status: 422 });
}

function settings() {
  return {
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: `${server.origin}/v1`, apiKey: 'key' }], tools: [] },
    runConfig: { seed: 3, bufferSize: 10, maxConversationRestarts: 0, disableEarlyShutdown: true },
  };
}

function designerOf() {
  return new DataDesigner(settings());
}

function config(name: 'plain' | 'select' | 'priced' | 'fragile' | 'narrow' = 'plain') {
  const builder = new DataDesignerConfigBuilder();
  for (const alias of ['writer', 'judge', 'moody']) {
    const pricing = name === 'priced' ? { pricing: { input: 1_000_000, output: 0 } } : {};
    builder.addModelConfig({
      alias,
      model: alias,
      provider: 'own',
      inferenceParameters: { maxTokens: 100, ...(name === 'narrow' && { maxParallelRequests: 4 }) },
      ...pricing,
    });
  }
  const mood = { type: 'object', properties: { mood: { type: 'string' } }, required: ['mood'] };
  const points = { type: 'object', properties: { points: { type: 'integer' } }, required: ['points'] };
  const declared = builder
    .addToolConfig({ toolAlias: 'facts', providers: ['demo-tools'] })
    .addColumn({
      name: 'id',
      columnType: 'sampler',
      samplerType: 'uniform',
      params: { low: 0, high: 1e9 },
      convertTo: 'int',
    })
    .addColumn({ name: 'secret', columnType: 'expression', expr: 'about {{ id }}', drop: true })
    .addColumn({
      name: 'draft',
      columnType: 'llm-text',
      modelAlias: 'writer',
      prompt: 'Write id {{ id }}.',
      toolAlias: 'facts',
      withTrace: true,
    })
    .addColumn({
      name: 'score',
      columnType: 'llm-structured',
      modelAlias: 'judge',
      prompt: 'Judge id {{ id }}: {{ draft }}',
      outputFormat: points,
    })
    .addColumn({
      name: 'mood',
      columnType: 'llm-structured',
      modelAlias: 'moody',
      prompt: 'Mood of id {{ id }}',
      outputFormat: mood,
      onFailure: 'null',
    })
    .addProcessor({
      processorType: 'schema_transform',
      name: 'lines',
      template: { line: '{{ draft }} {{ score.points }}' },
    });
  if (name === 'select') return declared.select({ where: 'id > 5' });
  if (name !== 'fragile') return declared;
  const template = { text: '{{ draft }} {{ 6 // (id % 4) }}' };
  return declared.addProcessor({ processorType: 'schema_transform', name: 'fragile', template });
}

const ROWS = 30;

async function readParquet(path: string): Promise<readonly object[]> {
  return parquetReadObjects({ file: await asyncBufferFromFile(path), compressors });
}

async function create(datasetName: string, more: Partial<CreateOptions> = {}) {
  await using designer = designerOf();
  const results = await designer.create(config(), { numRecords: ROWS, datasetName, ...more });
  return { results, ...(await everything(join(folder, datasetName))) };
}

/** All that is in the tables of a dataset. */
async function everything(path: string) {
  const dataset = await loadDataset(path);
  const dropped = join(path, 'dropped-columns-parquet-files');
  const files = readdirSync(dropped).toSorted();
  return {
    rows: await Array.fromAsync(dataset.records()),
    lines: await Array.fromAsync(dataset.loadProcessorDataset('lines')),
    dropped: (await Promise.all(files.map((name) => readParquet(join(dropped, name))))).flat(),
  };
}

/** The dataset that a run without faults makes, and what was asked about its rows. */
let whole: Awaited<ReturnType<typeof create>> & { readonly answers: readonly string[] };

beforeAll(async () => {
  answered = new Map();
  whole = { ...(await create('whole')), answers: answersAboutRows() };
});

test('lost rows are made again: the rows are those of a run without faults, and no answer of use is bought twice', async () => {
  expect(whole.rows).toHaveLength(ROWS);
  const wholeUsage = whole.results.usage;
  isBroken = true;
  const losing = await create('losing');
  expect(requestsIn(losing.results.usage)).toBe(received);
  const lost = ROWS - losing.rows.length;
  expect(lost).toBeGreaterThan(5);
  expect(existsSync(join(folder, 'losing', 'journal', 'lost'))).toBe(true);
  isBroken = false;
  const events: string[] = [];
  const again = await create('losing', {
    resume: 'always',
    retryLost: true,
    onEvent: (event) => void events.push(event.type === 'lost-rows-retry' ? JSON.stringify(event) : event.type),
  });
  expect(events.find((event) => event.includes('lost-rows-retry'))).toContain(`"rows":${lost},"boughtAgain":0`);
  expect(again.rows).toEqual(whole.rows);
  expect(again.lines).toEqual(whole.lines);
  expect(again.dropped).toEqual(whole.dropped);
  expect([...answered.values()].filter((count) => count > 1)).toEqual([]);
  const { requests, failedRequests, outputTokens } = again.results.usage['writer']!;
  expect(again.results.usage['writer']).toEqual(wholeUsage['writer']);
  expect([requests, failedRequests, outputTokens].every((count) => count >= 0)).toBe(true);
  expect(requestsIn(again.results.usage)).toBe(received);
  expect(again.results.usage['judge']!.requests).toBeGreaterThan(wholeUsage['judge']!.requests);
  expect(again.results.tools).toMatchObject({ get_fact: { calls: whole.results.tools['get_fact']?.calls } });
  expect(readdirSync(join(folder, 'losing', 'journal'))).toEqual([]);
  const failures = (name: string) =>
    readFileSync(join(folder, name, 'failures.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { row: number }).row)
      .toSorted((a, b) => a - b);
  expect(failures('losing')).toEqual(failures('whole'));
  const requestsBefore = answered.size;
  const third = await create('losing', { resume: 'always', retryLost: true });
  expect(third.rows).toEqual(whole.rows);
  expect(answered.size).toBe(requestsBefore);
});

/** What was answered, without the test of a model before its first use. */
function answersAboutRows(): readonly string[] {
  return [...answered.keys()].filter((text) => /id \d/.test(text)).toSorted();
}

/** The requests behind some usage. */
function requestsIn(usage: Readonly<Record<string, { readonly requests: number }>>): number {
  return Object.values(usage).reduce((sum, { requests }) => sum + requests, 0);
}

test(
  'a refused request of a conversation is sent again, and the answers and tool calls before it are kept',
  { tags: 'long' },
  async () => {
    isBroken = 'tools';
    const losing = await create('turns');
    expect(losing.rows.length).toBeLessThan(ROWS);
    isBroken = false;
    const again = await create('turns', { resume: 'always', retryLost: true });
    expect(again.rows).toEqual(whole.rows);
    expect([...answered.values()].filter((count) => count > 1)).toEqual([]);
    expect(answersAboutRows()).toEqual(whole.answers);
    expect(again.results.tools).toMatchObject({ get_fact: { calls: whole.results.tools['get_fact']?.calls } });
    expect(requestsIn(again.results.usage)).toBe(received);
  },
);

test('lost rows of merged files are made again, and the files can be merged again', { tags: 'long' }, async () => {
  isBroken = true;
  await using designer = new DataDesigner({ ...settings(), runConfig: { ...settings().runConfig, compact: true } });
  const make = (more: Partial<CreateOptions> = {}) =>
    designer.create(config(), { numRecords: ROWS, datasetName: 'merged', ...more });
  await make();
  const files = join(folder, 'merged', 'parquet-files');
  expect(readdirSync(files)).toEqual(['batch_00000-00002.parquet']);
  isBroken = false;
  const again = await make({ resume: 'always', retryLost: true });
  expect(again.count).toBe(ROWS);
  expect(readdirSync(files)).toEqual(['batch_00000-00002.parquet']);
  expect(await everything(join(folder, 'merged'))).toMatchObject({
    rows: whole.rows,
    lines: whole.lines,
    dropped: whole.dropped,
  });
});

test('a retry may lose rows again, and the next one makes them', { tags: 'long' }, async () => {
  isBroken = true;
  const losing = await create('twice');
  const still = await create('twice', { resume: 'always', retryLost: true });
  expect(still.rows).toEqual(losing.rows);
  expect(still.lines).toEqual(losing.lines);
  expect(still.results.usage['writer']).toEqual(losing.results.usage['writer']);
  isBroken = false;
  const again = await create('twice', { resume: 'always', retryLost: true });
  expect(again.rows).toEqual(whole.rows);
  expect(again.lines).toEqual(whole.lines);
  expect(again.results.usage['writer']).toEqual(whole.results.usage['writer']);
  expect([...answered.values()].filter((count) => count > 1)).toEqual([]);
});

test(
  'after a run that ended by failures, a retry asks the failed cells anew and is not ended at once',
  { tags: 'long' },
  async () => {
    isBroken = 'all';
    // Most rows are still to be made when the run ends.
    delayMs = 30;
    const runConfig = {
      ...settings().runConfig,
      disableEarlyShutdown: false,
      shutdownErrorWindow: 10,
      shutdownErrorRate: 0.6,
    };
    await using designer = new DataDesigner({ ...settings(), runConfig });
    const make = (more: Partial<CreateOptions> = {}) =>
      designer.create(config('narrow'), { numRecords: ROWS, datasetName: 'early', ...more });
    const early = await make().catch((failure: unknown) => failure);
    expect(early).toMatchObject({ code: 'run/stopped-early' });
    isBroken = false;
    delayMs = 0;
    const again = await make({ resume: 'always', retryLost: true });
    expect(again.ended).toBeNull();
    expect(await everything(join(folder, 'early'))).toEqual({
      rows: whole.rows,
      lines: whole.lines,
      dropped: whole.dropped,
    });
    expect([...answered.values()].filter((count) => count > 1)).toEqual([]);
  },
);

test(
  'a dataset whose answers of lost rows were not kept says how many cells are paid for again',
  { tags: 'long' },
  async () => {
    isBroken = true;
    const losing = await create('older');
    const lost = ROWS - losing.rows.length;
    rmSync(join(folder, 'older', 'journal', 'lost'), { recursive: true });
    isBroken = false;
    const told: object[] = [];
    await create('older', {
      resume: 'always',
      retryLost: true,
      onEvent: (event) => event.type === 'lost-rows-retry' && told.push(event),
    });
    expect(told).toMatchObject([{ rows: lost, boughtAgain: lost }]);
  },
);

test('rows that are not made one by one are refused by name', { tags: 'long' }, async () => {
  await using designer = designerOf();
  const retry = async (declared: ReturnType<typeof config>, datasetName: string) => {
    await designer.create(declared, { numRecords: 5, datasetName });
    return designer.create(declared, { numRecords: 5, datasetName, resume: 'always', retryLost: true });
  };
  await expect(retry(config('select'), 'selected')).rejects.toMatchObject({
    code: 'dataset/lost-rows-stay',
    message: expect.stringContaining('the dataset has a selection') as string,
  });
  await expect(designer.create(config(), { numRecords: 5, datasetName: 'useless', retryLost: true })).rejects.toThrow(
    'retryLost: it has no effect without resume.',
  );
  await expect(
    designer.composeWorkflow('useless').addStage('first', config()).run({ numRecords: 5, retryLost: true }),
  ).rejects.toThrow('retryLost: it has no effect without resume.');
});

/** The words of a command that makes the dataset. */
function commandFor(name: string, rows: number): readonly string[] {
  const file = (base: string, content: object) => {
    const path = join(folder, base);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  const { models } = settings().providers;
  const providers = file('providers.json', {
    providers: models.map(({ apiKey, ...one }) => ({ ...one, api_key: apiKey })),
  });
  const runConfig = file('run.json', { buffer_size: 10, max_conversation_restarts: 0, disable_early_shutdown: true });
  const where = ['-n', String(rows), '-o', folder, '-d', name];
  const declared = file('config.json', config().document as object);
  return ['create', declared, '--providers', providers, '-c', runConfig, '--seed', '3', ...where];
}

test('a run with lost rows ends with the command that makes them again, which does so', { tags: 'long' }, async () => {
  const args = commandFor('told', ROWS);
  isBroken = true;
  const losing = await runCommand(args);
  const [, lost, command = ''] = /To make the (\d+) lost rows again: (.*)/.exec(losing.stdout) ?? [];
  expect(command).toContain(' --resume always --retry-lost');
  const told = `${lost} lost rows can be made again: the same create command with --resume always --retry-lost`;
  for (const shows of ['show', 'report']) {
    expect(await runCommand([shows, join(folder, 'told')])).toMatchObject({
      code: 0,
      stderr: `${told}.\n`,
    });
  }
  const page = join(folder, 'report.html');
  await runCommand(['report', join(folder, 'told'), '--html', page]);
  expect(readFileSync(page, 'utf8')).toContain(`${told}.`);
  isBroken = false;
  const again = await runCommand([...args, ...command.split(' ').slice(-3)]);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(`${ROWS} of ${ROWS} records in`) as string });
  expect(again.stderr).toContain(
    `${lost} lost rows are made again; only their failed and missing cells are requested.`,
  );
  expect(again.stdout).not.toContain('To make the');
  expect(await runCommand([...args, '--retry-lost'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--retry-lost has no effect without --resume') as string,
  });
});

test.skipIf(whyNoBrowser)(
  'the page of failures tells how lost rows are made again, until they are',
  { tags: 'long', timeout: 60_000 },
  async () => {
    isBroken = true;
    const losing = await create('viewed');
    isBroken = false;
    await using viewer = await openViewer(join(folder, 'viewed'));
    const browser = await openBrowser();
    try {
      await using opened = await openPage(viewer.address, browser);
      const lost = ROWS - losing.rows.length;
      await go(opened.page, 'failures');
      await untilText(opened.page, '.notice', `${lost} lost rows can be made again: the same create command with`);
      expect(await textOf(opened.page, '.notice code')).toBe('--resume always --retry-lost');
      await create('viewed', { resume: 'always', retryLost: true });
      await opened.page.reload();
      await untilText(opened.page, 'main', 'cell is null');
      expect(await opened.page.$('.notice')).toBeNull();
    } finally {
      await browser.close();
    }
  },
);

for (const { kills, rows } of [
  { kills: 2, rows: 60 },
  { kills: 20, rows: 600 },
])
  test(
    `a retry that is killed ${kills} times makes the same rows, and buys no answer twice`,
    { tags: 'long', timeout: 400_000 },
    async () => {
      await using designer = designerOf();
      const undisturbed = await designer.create(config(), { numRecords: rows, datasetName: `whole-killed-${kills}` });
      const wanted = await everything(undisturbed.path);
      answered.clear();
      isBroken = true;
      const name = `killed-${kills}`;
      const losing = await designer.create(config(), { numRecords: rows, datasetName: name });
      const before = new Map(answered);
      isBroken = false;
      delayMs = 3;
      const lost = rows - losing.count;
      const words = [...commandFor(name, rows), '--resume', 'always', '--retry-lost'];
      for (let kill = 0; kill < kills; kill++) {
        const asked = total(answered);
        const { child, finished } = startDataDesigner(words);
        const enough = Math.max(1, Math.floor((lost * 0.8) / kills));
        const isOver = () => child.exitCode !== null || total(answered) >= asked + enough;
        while (!isOver()) await sleep(2);
        child.kill('SIGKILL');
        await finished;
        await sleep(20);
      }
      delayMs = 0;
      const again = await designer.create(config(), {
        numRecords: rows,
        datasetName: name,
        resume: 'always',
        retryLost: true,
      });
      expect(again.count).toBe(rows);
      expect(await everything(again.path)).toEqual(wanted);
      expect([...before].filter(([text, count]) => answered.get(text) !== count)).toEqual([]);
      // Requests in flight at a kill may be sent again.
      expect(total(answered) - rows * 2).toBeLessThanOrEqual(total(before) + kills * 16);
    },
  );

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Starts a printed command as a shell would, with this program in place of the published one. */
function startPrinted(command: string) {
  const shell = `npx() { shift; exec "${process.execPath}" "${program}" "$@"; }\n${command}`;
  return startDataDesigner([], {}, ['/bin/sh', '-c', shell]);
}

test(
  'the printed command runs as it is; after Ctrl-C the next printed one continues the retry',
  { tags: 'long', timeout: 60_000 },
  async () => {
    isBroken = true;
    const words = commandFor("it's printed", ROWS);
    const losing = await startDataDesigner(words).finished;
    const command = /To make the \d+ lost rows again: (.*)/.exec(losing.stdout)?.[1] ?? '';
    expect(command).toContain('npx data-designer create ');
    isBroken = false;
    gate = Promise.withResolvers();
    const before = received;
    const retry = startPrinted(command);
    await expect.poll(() => received, { timeout: 30_000 }).toBeGreaterThan(before + 1);
    retry.child.kill('SIGINT');
    while (!retry.said().includes('press Ctrl-C again to stop now')) await sleep(5);
    gate.resolve();
    const stopped = await retry.finished;
    expect(stopped.code).toBe(130);
    const next = /continue with: (.*)/.exec(stopped.stderr)?.[1] ?? '';
    expect(next).toMatch(/ --retry-lost/);
    expect(await startPrinted(next).finished).toMatchObject({ code: 0 });
    expect(await everything(join(folder, "it's printed"))).toMatchObject({ rows: whole.rows, lines: whole.lines });
    expect([...answered.values()].filter((count) => count > 1)).toEqual([]);
    const { usage } = await loadDataset(join(folder, "it's printed"));
    expect(requestsIn(usage)).toBe(received);
  },
);

async function createPriced(datasetName: string, maxCost: number, more: Partial<CreateOptions> = {}) {
  await using designer = new DataDesigner({ ...settings(), runConfig: { ...settings().runConfig, maxCost } });
  return designer.create(config('priced'), { numRecords: ROWS, datasetName, ...more });
}

test('a budget may end the run that lost rows, and the retry', { tags: 'long' }, async () => {
  const priced = await createPriced('whole-budget', 1e6);
  answered.clear();
  received = refused = 0;
  isBroken = true;
  const losing = await createPriced('budget', priced.cost! * 0.7);
  expect(losing.ended).toMatchObject({ code: 'run/budget-spent' });
  isBroken = false;
  const again = { resume: 'always', retryLost: true } as const;
  const half = await createPriced('budget', priced.cost! * 0.85, again);
  expect(half.ended).toMatchObject({ code: 'run/budget-spent' });
  const full = await createPriced('budget', 1e6, again);
  expect(full.ended).toBeNull();
  expect(await everything(full.path)).toEqual(await everything(priced.path));
  expect([...answered.values()].filter((count) => count > 1)).toEqual([]);
  // Refusals that a group met before it was left unfinished cost nothing, and are not counted.
  const failed = Object.values(full.usage).reduce((sum, { failedRequests }) => sum + failedRequests, 0);
  expect(requestsIn(full.usage) - failed).toBe(received - refused);
});

test(
  'rows that a processor has lost are lost again without a request, and no command is offered for them',
  { tags: 'long' },
  async () => {
    await using designer = designerOf();
    const make = (more: Partial<CreateOptions> = {}) =>
      designer.create(config('fragile'), { numRecords: ROWS, datasetName: 'fragile', ...more });
    const first = await make();
    expect(first.count).toBeLessThan(ROWS);
    expect(first.retriable).toBeNull();
    expect(first.describeLostRows('so')).toContain('fails again for the same cells');
    const before = total(answered);
    const again = await make({ resume: 'always', retryLost: true });
    expect(total(answered)).toBe(before);
    expect(again.count).toBe(first.count);
    expect(again.usage['writer']).toEqual(first.usage['writer']);
    isBroken = true;
    const losing = await designer.create(config('fragile'), { numRecords: ROWS, datasetName: 'fragile-losing' });
    isBroken = false;
    const more = { resume: 'always', retryLost: true, datasetName: 'fragile-losing' } as const;
    const mended = await designer.create(config('fragile'), { numRecords: ROWS, ...more });
    expect([losing.count < first.count, mended.count]).toEqual([true, first.count]);
    expect((await everything(mended.path)).rows).toEqual((await everything(first.path)).rows);
  },
);

test(
  'lost rows of the last stage of a workflow are made again, those that a later stage has read are not',
  { tags: 'long' },
  async () => {
    await using designer = designerOf();
    const next = new DataDesignerConfigBuilder().addColumn({
      name: 'copy',
      columnType: 'expression',
      expr: '{{ draft }}',
    });
    const one = designer.composeWorkflow('one').addStage('first', config());
    const two = designer.composeWorkflow('two').addStage('first', config()).addStage('second', next);
    isBroken = true;
    const losing = await one.run({ numRecords: 20 });
    await two.run({ numRecords: 20 });
    isBroken = false;
    const again = await one.run({ numRecords: 20, resume: 'always', retryLost: true });
    expect(losing.summary.total.rows).toBeLessThan(20);
    expect(again.summary.total.rows).toBe(20);
    await expect(two.run({ numRecords: 20, resume: 'always', retryLost: true })).rejects.toMatchObject({
      code: 'dataset/lost-rows-stay',
      message: expect.stringContaining('--rerun-from first') as string,
    });
  },
);
