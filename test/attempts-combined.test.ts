import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateOptions, customColumn, DataDesigner, DataDesignerConfigBuilder, loadDataset } from 'data-designer';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startSimulator } from '@data-designer/simulator';
import { NO_REDIS } from '../packages/cluster/test/start-redis.ts';
import { LIMIT_MS, TestCluster, TestMachines } from '../packages/cluster/test/test-cluster.ts';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';

let folder: string;
let server: AnsweringServer;
/** How often each request came. */
let asked: Map<string, number>;
/** The rows that validators got, in one call each. */
let checked: (readonly Readonly<Record<string, unknown>>[])[];
/** Whether the answer to a request with a seed is right: 40 % are. */
let isRight: (seed: string) => boolean;
/** Changes what the server does next. */
let fault: ((text: string) => number | undefined) | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attempts-combined-'));
  server = await openAnsweringServer((text, response, { url }) => {
    asked.set(text, (asked.get(text) ?? 0) + 1);
    const status = fault?.(text);
    if (status !== undefined) return reply(response, { error: { message: 'not now' } }, { status });
    if (url === '/check') {
      const { data } = JSON.parse(text) as { data: { solution: string }[] };
      checked.push(data);
      return reply(response, { data: data.map(({ solution }) => ({ is_valid: solution.startsWith('right') })) });
    }
    const { seed } = JSON.parse(text) as { seed?: number };
    return reply(response, completion(`${isRight(`${seed}`) ? 'right' : 'wrong'} ${seed}`));
  });
});
beforeEach(() => {
  asked = new Map();
  checked = [];
  fault = undefined;
  isRight = (seed) => createHash('sha256').update(seed).digest()[0]! < 102;
});
afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

function designerOf(runConfig: object = {}) {
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: `${server.origin}/v1`, apiKey: 'key' }], tools: [] },
    permissions: { privateAddresses: true },
    runConfig: { seed: 3, ...runConfig },
  });
}

/** A dataset whose solutions are right by the seed of their request. */
function solving() {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'solver', model: 'solver', provider: 'own' })
    .addColumn({
      name: 'id',
      columnType: 'sampler',
      samplerType: 'uniform',
      params: { low: 0, high: 1e9 },
      convertTo: 'int',
    })
    .addColumn({ name: 'solution', columnType: 'llm-text', modelAlias: 'solver', prompt: 'Solve {{ id }}.' });
}

async function create<D extends Parameters<DataDesigner['create']>[0]>(
  config: D,
  datasetName: string,
  { runConfig, ...more }: Partial<CreateOptions> & { readonly runConfig?: object } = {},
) {
  await using designer = designerOf(runConfig);
  const results = await designer.create(config, { numRecords: 60, datasetName, ...more });
  return { results, rows: await Array.fromAsync(results.records()) };
}

/** Half of all requests, by their bytes. */
const isRefused = (text: string) => createHash('sha256').update(text).digest()[3]! < 128;

const total = () => [...asked.values()].reduce((sum, count) => sum + count, 0);

test('validators by a server and by a function stand in a block, with one row per call', { tags: 'long' }, async () => {
  const remote = solving()
    .addColumn({
      name: 'verdict',
      columnType: 'validation',
      targetColumns: ['solution'],
      validatorType: 'remote',
      validatorParams: { endpointUrl: `${server.origin}/check` },
    })
    .addAttempts({ name: 'solve', columns: ['solution', 'verdict'], until: 'verdict.is_valid', max: 8 });
  const { rows } = await create(remote, 'remote');
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.every(({ solution }) => solution.startsWith('right'))).toBe(true);
  expect(new Set(checked.map((one) => one.length))).toEqual(new Set([1]));
  expect(total()).toBe(asked.size);
  checked = [];
  const local = solving()
    .addColumn({
      name: 'verdict',
      columnType: 'validation',
      targetColumns: ['solution'],
      validatorType: 'local_callable',
      validatorParams: {
        validationFunction: (batch: readonly Readonly<Record<string, unknown>>[]) => {
          checked.push(batch);
          return batch.map(({ solution }) => ({ is_valid: String(solution).startsWith('right') }));
        },
      },
    })
    .addAttempts({ name: 'solve', columns: ['solution', 'verdict'], until: 'verdict.is_valid', max: 8 });
  const { rows: same } = await create(local, 'local');
  expect(same).toEqual(rows);
  expect(new Set(checked.map((one) => one.length))).toEqual(new Set([1]));
});

test(
  'an attempt whose request was refused stays over after a kill, though the endpoint would take it now',
  { tags: 'long' },
  async () => {
    const config = solving().addAttempts({
      name: 'solve',
      columns: ['solution'],
      until: "solution.startswith('right')",
      max: 8,
    });
    fault = (text) => (isRefused(text) ? 400 : undefined);
    const runConfig = { disableEarlyShutdown: true, bufferSize: 60 };
    const whole = await create(config, 'refusals', { runConfig });
    expect(whole.rows.some(({ solve__attempts: attempts }) => attempts > 3)).toBe(true);
    asked = new Map();
    const stop = new AbortController();
    const refused: string[] = [];
    fault = (text) => {
      if (asked.size >= 90) stop.abort();
      return isRefused(text) ? 400 : undefined;
    };
    const stopped = create(config, 'refusals-stopped', { runConfig, signal: stop.signal });
    await expect(stopped).rejects.toMatchObject({ code: 'run/aborted' });
    const before = new Set(asked.keys());
    fault = (text) => {
      if (before.has(text) && isRefused(text)) refused.push(text);
      return isRefused(text) ? 400 : undefined;
    };
    const { rows } = await create(config, 'refusals-stopped', { runConfig, resume: 'always' });
    expect(rows).toEqual(whole.rows);
    // Only what was under way at the stop is asked again.
    expect(refused.length).toBeLessThanOrEqual(4);
  },
);

test('a validator that is down costs the row, not its attempts', { tags: 'long' }, async () => {
  const config = solving()
    .addColumn({
      name: 'verdict',
      columnType: 'validation',
      targetColumns: ['solution'],
      validatorType: 'remote',
      validatorParams: { endpointUrl: `${server.origin}/check`, maxRetries: 0 },
    })
    .addAttempts({
      name: 'solve',
      columns: ['solution', 'verdict'],
      until: 'verdict.is_valid',
      max: 8,
      onExhausted: 'null',
    });
  fault = (text) => (/wrong \d*[02468]"/.test(text) ? 503 : undefined);
  const { results } = await create(config, 'validator-down', { runConfig: { disableEarlyShutdown: true } });
  const lost = results.lost.map(({ column, code }) => `${column} ${code}`);
  expect(lost).toEqual(['verdict validator/failed']);
});

test(
  'a condition that is neither true nor false costs its row at the first attempt, and is named',
  { tags: 'long' },
  async () => {
    const config = solving()
      .addColumn({
        name: 'word',
        columnType: 'expression',
        expr: "{{ 'yes' if solution.startswith('right') else 'no' }}",
      })
      .addAttempts({
        name: 'solve',
        columns: ['solution', 'word'],
        until: "word or 'no'",
        max: 8,
        onExhausted: 'keep_last',
      });
    const made = create(config, 'undecided', { runConfig: { disableEarlyShutdown: true } });
    const message =
      /'until' of 'solve' gives "(?:yes|no)", which is neither true nor false\. Compare it, as in until: v/;
    await expect(made).rejects.toMatchObject({ code: 'run/no-rows', message: expect.stringMatching(message) });
    expect(asked.size).toBe(60);
  },
);

test('a function for all rows of a row group is refused in a block', async () => {
  const all = customColumn({
    requiredColumns: ['solution'],
    generate: (rows: readonly { readonly solution: string }[]) => rows.map(() => ({ judged: true })),
  });
  const config = solving()
    .addColumn({ name: 'judged', columnType: 'custom', generatorFunction: all, generationStrategy: 'full_column' })
    .addAttempts({ name: 'solve', columns: ['solution', 'judged'], until: 'judged', max: 8 });
  await using designer = designerOf();
  const { violations } = await designer.check(config);
  expect(violations).toMatchObject([{ type: 'group_column', path: 'attempts[0].columns[1]' }]);
});

test('a retry of lost rows asks the attempts of an exhausted row anew', { tags: 'long' }, async () => {
  const config = solving().addAttempts({
    name: 'solve',
    columns: ['solution'],
    until: "solution.startswith('right')",
    max: 2,
  });
  const runConfig = { disableEarlyShutdown: true, bufferSize: 20 };
  const { rows } = await create(config, 'retried', { runConfig });
  expect(rows.length).toBeLessThan(50);
  asked = new Map();
  isRight = () => true;
  const again = await create(config, 'retried', { runConfig, resume: 'always', retryLost: true });
  expect([again.rows.length, again.results.lost]).toEqual([60, []]);
  expect(total()).toBe(60 - rows.length);
  expect(again.rows.filter(({ solve__attempts: attempts }) => attempts === 1).length).toBeGreaterThan(60 - rows.length);
});

/** A block of all kinds of columns; the function among them draws what decides. */
function mixed() {
  const judged = customColumn({
    requiredColumns: ['text', 'id'],
    modelAliases: ['writer'],
    sideEffectColumns: ['draw'],
    generate: async (row: { readonly text: string }, { cell }) => {
      const { value } = await cell.ask({ modelAlias: 'writer', prompt: `Judge ${row.text}` });
      return { judged: value, draw: cell.random.float() };
    },
  });
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'writer', model: 'sim-small', provider: 'sim' })
    .addModelConfig({ alias: 'thinker', model: 'sim-reasoning', provider: 'sim' })
    .addModelConfig({
      alias: 'vectors',
      model: 'sim-embed',
      provider: 'sim',
      inferenceParameters: { generationType: 'embedding' },
    })
    .addModelConfig({
      alias: 'painter',
      model: 'sim-image',
      provider: 'sim',
      inferenceParameters: { generationType: 'image' },
    })
    .addToolConfig({ toolAlias: 'facts', providers: ['demo-tools'] })
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
    .addColumn({
      name: 'text',
      columnType: 'llm-text',
      modelAlias: 'thinker',
      toolAlias: 'facts',
      prompt: 'Say {{ id }}.',
      withTrace: 'all_messages',
      extractReasoningContent: true,
    })
    .addColumn({
      name: 'chat',
      columnType: 'conversation',
      turns: 2,
      user: { modelAlias: 'writer', systemPrompt: 'Ask about {{ text }}' },
      assistant: { modelAlias: 'writer', systemPrompt: 'Help.', toolAlias: 'facts' },
    })
    .addColumn({ name: 'judged', columnType: 'custom', generatorFunction: judged })
    .addColumn({
      name: 'verdict',
      columnType: 'llm-judge',
      modelAlias: 'writer',
      prompt: 'Grade {{ text }}',
      scores: [{ name: 'Warmth', description: 'How warm?', options: { 1: 'cold', 2: 'warm' } }],
    })
    .addColumn({ name: 'vector', columnType: 'embedding', modelAlias: 'vectors', targetColumn: 'text' })
    .addColumn({ name: 'art', columnType: 'image', modelAlias: 'painter', prompt: 'Paint {{ text }}' })
    .addColumn({
      name: 'rare',
      columnType: 'expression',
      expr: '{{ text }}',
      skip: { when: '{{ draw < 0.7 }}', value: 'nothing' },
      drop: true,
    })
    .addColumn({
      name: 'after',
      columnType: 'expression',
      propagateSkip: false,
      expr: '{% if text is not none %}{{ rare }} {{ text__trace | length }} {{ verdict.Warmth.score }}{% endif %} {{ tries__attempts }}',
    });
}

const MIXED = ['text', 'chat', 'judged', 'verdict', 'vector', 'art', 'rare'] as const;

/** The pictures in the folder of a dataset, by their paths there. */
const picturesIn = (path: string) =>
  readdirSync(join(path, 'images', 'art'))
    .map((name) => `images/art/${name}`)
    .toSorted();

test(
  'tools, conversations, functions, judges, embeddings, images, skips and traces stand in a block',
  { tags: 'long' },
  async () => {
    await using simulator = await startSimulator();
    const first = () =>
      mixed().addAttempts({ name: 'tries', columns: MIXED, until: 'draw < 0.4', max: 3, onExhausted: 'null' });
    const made = async <D extends Parameters<DataDesigner['create']>[0]>(
      config: D,
      datasetName: string,
      { runConfig = {}, ...more }: { runConfig?: object } & Partial<CreateOptions> = {},
    ) => {
      await using designer = new DataDesigner({
        artifactPath: folder,
        providers: { models: [{ name: 'sim', endpoint: simulator.url }], tools: [] },
        runConfig: { seed: 3, ...runConfig },
      });
      const results = await designer.create(config, { numRecords: 12, datasetName, ...more });
      return { results, rows: await Array.fromAsync(results.records()) };
    };
    const whole = await made(first(), 'mixed');
    expect(whole.rows).toHaveLength(12);
    const accepted = whole.rows.filter(({ text }) => text !== null);
    expect(accepted.length).toBeGreaterThan(5);
    expect(whole.rows.some((row) => 'rare' in row)).toBe(false);
    for (const { draw, after, text__trace: trace, verdict, tries__attempts: attempts } of accepted)
      expect([draw < 0.4, after]).toEqual([true, `nothing ${trace?.length} ${verdict?.Warmth.score} ${attempts}`]);
    for (const row of whole.rows.filter(({ text }) => text === null))
      expect([row.text__trace, row.text__reasoning_content, row.art, row.chat__end, row.draw]).toEqual([
        null,
        null,
        null,
        null,
        null,
      ]);
    expect(picturesIn(whole.results.path)).toEqual(whole.rows.flatMap(({ art }) => art ?? []).toSorted());
    const all = await made(mixed().addAttempts({ name: 'tries', columns: MIXED, max: 3, keep: 'all' }), 'mixed-all');
    const tries = all.rows.flatMap((row) => row.tries__all);
    expect(tries).toHaveLength(36);
    expect(picturesIn(all.results.path)).toEqual(tries.flatMap(({ art }) => art).toSorted());
    expect(tries.every((one) => !('rare' in one) && 'text__trace' in one)).toBe(true);
    // A stop and a resume, with other row groups.
    const before = (await simulator.stats()).answers;
    const stop = new AbortController();
    const stopped = made(first(), 'mixed-stopped', {
      signal: stop.signal,
      onEvent: () => {},
      runConfig: { bufferSize: 12 },
    });
    await expect.poll(async () => (await simulator.stats()).answers).toBeGreaterThan(before + 40);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ code: 'run/aborted' });
    const again = await made(first(), 'mixed-stopped', { resume: 'always', runConfig: { bufferSize: 12 } });
    const plain = ({ art: _, ...row }: (typeof again.rows)[number]) => row;
    expect(again.rows.map(plain)).toEqual(whole.rows.map(plain));
  },
);

/** Two blocks, of which the second reads the first, and a column that is dropped. */
function twice() {
  return solving()
    .addColumn({
      name: 'passed',
      columnType: 'expression',
      expr: "{{ solution.startswith('right') }}",
      dtype: 'bool',
      drop: true,
    })
    .addColumn({
      name: 'review',
      columnType: 'llm-text',
      modelAlias: 'solver',
      prompt: 'Review {{ solution }} {{ solve__attempts }}',
    })
    .addColumn({ name: 'said', columnType: 'expression', expr: '{{ review | length }} {{ revise__attempts }}' })
    .addAttempts({ name: 'solve', columns: ['solution', 'passed'], until: 'passed', max: 8 })
    .addAttempts({
      name: 'revise',
      columns: ['review'],
      until: "review.startswith('right')",
      max: 8,
      onExhausted: 'keep_last',
    });
}

test(
  'a second block reads the first, also in small merged files, and its dropped column is in no file',
  { tags: 'long' },
  async () => {
    const { rows } = await create(twice(), 'twice');
    for (const row of rows) {
      expect([row.solution.startsWith('right'), 'passed' in row]).toEqual([true, false]);
      expect(row.said).toBe(`${row.review.length} ${row.revise__attempts}`);
    }
    expect(rows.some(({ solve__attempts: one, revise__attempts: two }) => one > 1 && two > 1)).toBe(true);
    const { rows: merged } = await create(twice(), 'twice-compact', { runConfig: { bufferSize: 7, compact: true } });
    expect(merged).toEqual(rows);
  },
);

test('a selection makes exactly as many rows, and refuses by what attempts have left', async () => {
  const config = twice().select({ where: 'solve__attempts <= 2', maxCandidates: 400 });
  const { rows } = await create(config, 'selected', { runConfig: { bufferSize: 10 } });
  expect(rows).toHaveLength(60);
  expect(rows.every(({ solve__attempts: attempts }) => attempts <= 2)).toBe(true);
  // A refused candidate costs no review.
  const reviews = [...asked.keys()].filter((text) => text.includes('Review'));
  expect(reviews.every((text) => / [12]"/.test(text))).toBe(true);
});

test(
  'a stage of a workflow reads the attempts of the stage before, in a block of its own',
  { tags: 'long' },
  async () => {
    await using designer = designerOf();
    const results = await designer
      .composeWorkflow('attempts-flow')
      .addStage('first', twice(), { rows: 20 })
      .addStage('second', (from) =>
        from
          .builder()
          .addColumn({
            name: 'more',
            columnType: 'llm-text',
            modelAlias: 'solver',
            prompt: 'After {{ solve__attempts }}: {{ id }}',
          })
          .addAttempts({ name: 'again', columns: ['more'], max: 3, keep: 'all' }),
      )
      .run();
    const rows = await Array.fromAsync(results.records());
    expect(rows.length).toBeGreaterThan(15);
    for (const row of rows) {
      expect(row.again__all.map(({ more }) => more)[0]).toBe(row.more);
      expect(new Set(row.again__all.map(({ more }) => more)).size).toBe(3);
      expect(row.solve__attempts).toBeGreaterThan(0);
    }
  },
);

test(
  'a budget stops between attempts, and a resume with more money buys none of them again',
  { tags: 'long' },
  async () => {
    const config = solving().addAttempts({
      name: 'solve',
      columns: ['solution'],
      until: "solution.startswith('right')",
      max: 8,
    });
    config.deleteModelConfig('solver').addModelConfig({
      alias: 'solver',
      model: 'solver',
      provider: 'own',
      pricing: { input: 1_000_000, output: 0 },
      inferenceParameters: { maxParallelRequests: 4 },
    });
    const { rows } = await create(config, 'unlimited');
    const whole = new Set(asked.keys());
    asked = new Map();
    const partly = await create(config, 'budget', { runConfig: { maxCost: 60, bufferSize: 20 } });
    expect(partly.results.ended).toMatchObject({ code: 'run/budget-spent' });
    expect(partly.rows.length).toBeLessThan(rows.length);
    // Four requests are under way when the money is spent.
    expect(asked.size).toBeLessThanOrEqual(64);
    const { rows: rest } = await create(config, 'budget', {
      resume: 'always',
      runConfig: { maxCost: 1000, bufferSize: 20 },
    });
    expect(rest).toEqual(rows);
    expect(new Set(asked.keys())).toEqual(whole);
    expect(total()).toBe(asked.size);
  },
);

test('the Python tool has no attempts, which an export for it names', () => {
  expect(() => twice().toYaml({ for: 'python' })).toThrow("the Python tool does not support the key 'attempts'");
  expect(twice().toYaml()).toContain('attempts:');
});

describe.skipIf(NO_REDIS)(`a cluster${NO_REDIS ? ` (skipped: ${NO_REDIS})` : ''}`, () => {
  test(
    'three machines accept the attempts of one, and buy each once',
    { tags: 'long', timeout: LIMIT_MS },
    async () => {
      await using cluster = await TestCluster.start({ latency: 0 });
      const machines = new TestMachines(cluster);
      const own = { endpoint: `${server.origin}/v1` };
      const options = { numRecords: 60, datasetName: 'shared' };
      const shared = machines.create(twice(), { ...options, cluster: { work: false } }, own);
      const path = join(cluster.folder, 'shared');
      const joined = [1, 2, 3].map(() => machines.join(path, {}, own));
      const results = await shared;
      await Promise.all(joined);
      await machines.end();
      const bought = new Map(asked);
      expect(total()).toBe(asked.size);
      await using designer = cluster.newDesigner(own);
      const alone = await designer.create(twice(), { ...options, datasetName: 'alone' });
      expect(await Array.fromAsync(results.records())).toEqual(await Array.fromAsync(alone.records()));
      expect(new Set(asked.keys())).toEqual(new Set(bought.keys()));
      expect(Object.values(results.attempts).map(({ rows }) => rows)).toContain(60);
      expect(results.attempts).toEqual(alone.attempts);
      expect((await loadDataset(path)).attempts).toEqual(alone.attempts);
    },
  );
});
