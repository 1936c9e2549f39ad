import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateOptions, DataDesigner, DataDesignerConfigBuilder, loadDataset, openViewer } from 'data-designer';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { NO_REDIS } from '../packages/cluster/test/start-redis.ts';
import { LIMIT_MS, TestCluster, TestMachines } from '../packages/cluster/test/test-cluster.ts';
import { startSimulator } from '@data-designer/simulator';
import { runCommand } from './command-line.ts';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';

vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

let folder: string;
let server: AnsweringServer;
let requests = 0;
/** Called with each request. */
let onRequest = (): void => {};
/** Whether the model of a later column is out of order for some rows. */
let isBroken = false;
/** The share of answers that are right. */
const P = 0.4;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attempts-figures-'));
  server = await openAnsweringServer((text, response) => {
    requests++;
    onRequest();
    const { seed } = JSON.parse(text) as { seed?: number };
    const digest = createHash('sha256').update(`${seed}`).digest();
    if (text.includes('"broken"') && digest[1]! % 4 === 0) return reply(response, completion('no json'));
    if (text.includes('"broken"')) return reply(response, completion('{"points": 3}'));
    if (text.includes('"late"')) {
      const id = Number(/Late (\d+)/.exec(text)?.[1]);
      return reply(response, completion(isBroken && id % 5 === 0 ? 'no json' : '{"points": 1}'));
    }
    if (text.includes('"judge"')) return reply(response, completion(String(digest[4]! % 3)));
    return reply(response, completion(`${digest.readUInt32BE(0) / 2 ** 32 < P ? 'right' : 'wrong'} ${seed}`));
  });
});
afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

function designerOf(runConfig: object = {}) {
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: `${server.origin}/v1`, apiKey: 'key' }], tools: [] },
    runConfig: {
      seed: 3,
      bufferSize: 20,
      disableEarlyShutdown: true,
      maxConversationRestarts: 0,
      maxConversationCorrectionSteps: 0,
      ...runConfig,
    },
  });
}

function solving() {
  const builder = new DataDesignerConfigBuilder();
  const pricing = { input: 1e6, output: 0 };
  for (const alias of ['solver', 'judge', 'broken', 'late'])
    builder.addModelConfig({ alias, model: alias, provider: 'own', pricing });
  return builder
    .addColumn({
      name: 'id',
      columnType: 'sampler',
      samplerType: 'uniform',
      params: { low: 0, high: 1e9 },
      convertTo: 'int',
    })
    .addColumn({ name: 'hint', columnType: 'llm-text', modelAlias: 'judge', prompt: 'Hint at {{ id }}.' })
    .addColumn({ name: 'solution', columnType: 'llm-text', modelAlias: 'solver', prompt: 'Solve {{ id }}.' })
    .addColumn({ name: 'passed', columnType: 'expression', expr: "{{ solution.startswith('right') }}", dtype: 'bool' });
}

const SOLVE = { name: 'solve', columns: ['solution', 'passed'], until: 'passed', max: 3 } as const;

async function create<D extends Parameters<DataDesigner['create']>[0]>(
  config: D,
  datasetName: string,
  { runConfig, ...more }: Partial<CreateOptions> & { readonly runConfig?: object } = {},
) {
  await using designer = designerOf(runConfig);
  const results = await designer.create(config, { numRecords: 120, datasetName, ...more });
  return { results, rows: await Array.fromAsync(results.records()) };
}

const metadataOf = (name: string) =>
  JSON.parse(readFileSync(join(folder, name, 'metadata.json'), 'utf8')) as Record<string, unknown>;

test('a dataset has the attempts of each block: accepted rows by attempt, the others by reason, and their cost', async () => {
  requests = 0;
  const { results, rows } = await create(solving().addAttempts(SOLVE), 'first');
  const { solve } = results.attempts;
  const acceptedAt = [1, 2, 3].map((number) => rows.filter((row) => row.solve__attempts === number).length);
  const lost = 120 - rows.length;
  const attempts = acceptedAt.reduce((sum, count, at) => sum + count * (at + 1), 3 * lost);
  expect(lost).toBeGreaterThan(0);
  expect(requests).toBe(attempts + 120);
  const [one = 0, two = 0, three = 0] = acceptedAt;
  expect(solve).toEqual({
    keep: 'first',
    max: 3,
    rows: 120,
    attempts,
    failedAttempts: 0,
    accepted: rows.length,
    acceptedAt,
    passAt: [one / 120, (one + two) / 120, (one + two + three) / 120],
    passRate: rows.length / attempts,
    exhausted: [
      {
        kind: 'refused',
        reason: 'passed = false',
        rows: lost,
        row: expect.any(Number),
        verdict: "'until' refused passed = false.",
      },
    ],
    attemptsPerAccepted: attempts / rows.length,
    // Each answer costs 1, and the hints are outside of the block.
    costPerAccepted: attempts / rows.length,
  });
  expect(metadataOf('first')['attempts']).toEqual({ solve });
});

const POINTS = { type: 'object', properties: { points: { type: 'integer' } }, required: ['points'] };

function graded() {
  return solving().addColumn({
    name: 'grade',
    columnType: 'llm-structured',
    modelAlias: 'broken',
    prompt: 'Grade {{ solution }}',
    outputFormat: POINTS,
  });
}

test(
  'an attempt with a failed cell counts as failed, and its failure is the reason where it was the last one',
  { tags: 'long' },
  async () => {
    const block = { ...SOLVE, columns: ['solution', 'passed', 'grade'], onExhausted: 'null' } as const;
    const { results, rows } = await create(graded().addAttempts(block), 'failed');
    const { solve } = results.attempts;
    expect(rows).toHaveLength(120);
    const { exhausted = [], failedAttempts = 0 } = solve ?? {};
    const byKind = new Map(exhausted.map((one) => [one.kind, one]));
    expect([...byKind.keys()].toSorted()).toEqual(['failed', 'refused']);
    expect(byKind.get('failed')).toMatchObject({ reason: 'grade: model/gave-up', verdict: expect.any(String) });
    const withoutOne = rows.filter(({ solution }) => solution === null).length;
    expect(exhausted.reduce((sum, one) => sum + one.rows, 0)).toBe(withoutOne);
    expect(solve?.accepted).toBe(120 - withoutOne);
    expect(failedAttempts).toBeGreaterThanOrEqual(byKind.get('failed')?.rows ?? 0);
  },
);

function judging() {
  return solving().addColumn({
    name: 'points',
    columnType: 'llm-text',
    modelAlias: 'judge',
    prompt: 'Judge {{ solution }}',
  });
}

const JUDGED = { name: 'solve', columns: ['solution', 'passed', 'points'], max: 2 } as const;

test(
  'best, pair and all have no shares by attempt: rows count that got what the block keeps',
  { tags: 'long' },
  async () => {
    const figures = {
      max: 2,
      rows: 120,
      attempts: 240,
      failedAttempts: 0,
      acceptedAt: null,
      passAt: null,
      passRate: null,
    };
    const { results: all } = await create(judging().addAttempts({ ...JUDGED, keep: 'all' }), 'all');
    const every = { ...figures, accepted: 120, exhausted: [], attemptsPerAccepted: 2, costPerAccepted: 4 };
    expect(all.attempts['solve']).toEqual({ ...every, keep: 'all' });
    const { results: best } = await create(judging().addAttempts({ ...JUDGED, keep: { best: 'points' } }), 'best');
    expect(best.attempts['solve']).toEqual({ ...every, keep: 'best' });
    const { results: pair, rows } = await create(
      judging().addAttempts({ ...JUDGED, keep: { pair: 'points' } }),
      'pair',
    );
    const equal = 120 - rows.length;
    expect(equal).toBeGreaterThan(0);
    expect(pair.attempts['solve']).toMatchObject({
      ...figures,
      keep: 'pair',
      accepted: rows.length,
      exhausted: [
        { kind: 'equal_scores', reason: '', rows: equal, verdict: expect.stringContaining('have the score') },
      ],
      attemptsPerAccepted: 240 / rows.length,
    });
  },
);

/** A block whose rows a later column may lose. */
function losing() {
  return solving()
    .addColumn({
      name: 'last',
      columnType: 'llm-structured',
      modelAlias: 'late',
      prompt: 'Late {{ id }} {{ solution }}',
      outputFormat: POINTS,
    })
    .addAttempts({ ...SOLVE, onExhausted: 'null' });
}

test(
  'the figures are the same after a stop and a resume, after a retry of lost rows, and in merged files',
  { tags: 'long' },
  async () => {
    const { results: whole } = await create(losing(), 'whole');
    expect(whole.attempts['solve']?.rows).toBe(120);
    const stop = new AbortController();
    requests = 0;
    onRequest = () => requests > 250 && stop.abort();
    const stopped = create(losing(), 'stopped', { signal: stop.signal });
    await expect(stopped).rejects.toMatchObject({ code: 'run/aborted' });
    onRequest = () => {};
    const partly = (await loadDataset(join(folder, 'stopped'), { unfinished: true })).attempts['solve'];
    expect(partly?.rows).toBeLessThan(120);
    const { results: resumed } = await create(losing(), 'stopped', { resume: 'always', runConfig: { compact: true } });
    expect(resumed.attempts).toEqual(whole.attempts);
    expect((await loadDataset(join(folder, 'stopped'))).attempts).toEqual(whole.attempts);
    isBroken = true;
    const { rows: fewer, results: lost } = await create(losing(), 'retried');
    isBroken = false;
    expect(fewer.length).toBeLessThan(110);
    expect(lost.attempts).toEqual(whole.attempts);
    const { rows, results: retried } = await create(losing(), 'retried', { resume: 'always', retryLost: true });
    // Attempts of lost rows without an accepted one are made and paid for again, and each row counts once.
    const { costPerAccepted = 0, ...others } = retried.attempts['solve'] ?? {};
    expect([rows.length, others]).toEqual([120, { ...whole.attempts['solve'], costPerAccepted: undefined }]);
    expect(costPerAccepted).toBeGreaterThan(whole.attempts['solve']?.costPerAccepted ?? 0);
    expect((await loadDataset(join(folder, 'retried'))).attempts).toEqual(retried.attempts);
  },
);

test('a stage of a workflow has the figures of its own block', { tags: 'long' }, async () => {
  await using designer = designerOf();
  const results = await designer
    .composeWorkflow('flow')
    .addStage('first', solving().addAttempts(SOLVE), { rows: 40 })
    .addStage('second', (from) =>
      from.builder().addColumn({ name: 'more', columnType: 'expression', expr: '{{ id }}' }),
    )
    .run();
  const [first, second] = ['first', 'second'].map((stage) => results.stageResults.get(stage));
  expect(first?.attempts['solve']).toMatchObject({ rows: 40, accepted: first?.count });
  expect(second?.attempts).toEqual({});
});

test('show, report and its page have the figures; a check has the bounds', { tags: 'long' }, async () => {
  const { results } = await create(solving().addAttempts(SOLVE), 'shown');
  const { accepted = 0, attempts = 0, passAt } = results.attempts['solve'] ?? {};
  const path = join(folder, 'shown');
  const shown = await runCommand(['show', path, '-n', '1']);
  const line = `Attempts 'solve': ${accepted} of 120 rows accepted; ${(attempts / accepted).toFixed(2)} attempts per accepted row`;
  expect(shown.stderr).toContain(line);
  const json = JSON.parse((await runCommand(['show', path, '-n', '1', '--json'])).stdout) as object;
  expect(json).toMatchObject({ attempts: results.attempts });
  const page = join(folder, 'report.html');
  const report = await runCommand(['report', path]);
  expect(report.stdout).toMatch(/^Attempts\nblock +keep/m);
  expect(report.stdout).toMatch(new RegExp(`^solve +3 +\\d+ +${(100 * (passAt?.[2] ?? 0)).toFixed(1)}%$`, 'm'));
  expect(report.stdout).toContain('refused: passed = false');
  await runCommand(['report', path, '--html', page]);
  expect(readFileSync(page, 'utf8')).toContain('data-section="attempts"');
  await using designer = designerOf();
  const bounds = async (block: object) => {
    const document = { ...(solving().document as object), attempts: [{ ...SOLVE, ...block }] };
    return (await designer.check({ document, source: 'test' })).attempts;
  };
  expect(await bounds({})).toEqual({ solve: { fewest: 1, most: 3 } });
  expect(await bounds({ until: null, keep: 'all' })).toEqual({ solve: { fewest: 3, most: 3 } });
});

/** What the viewer answers about a dataset. */
async function viewed<Answer>(name: string, question: string, body: object = {}): Promise<Answer> {
  const stop = new AbortController();
  const viewer = await openViewer(join(folder, name), { signal: stop.signal });
  const [origin = '', token] = viewer.address.split('/#t=');
  const post = (path: string, sent: object, cookie = '') => {
    const headers = { 'content-type': 'application/json', cookie };
    return fetch(`${origin}/api/${path}`, { method: 'POST', headers, body: JSON.stringify(sent) });
  };
  const [cookie] = String((await post('token', { token })).headers.get('set-cookie')).split(';');
  const response = await post(question, { dataset: name, ...body }, cookie);
  const answer: unknown = await response.json();
  stop.abort();
  await viewer.ended;
  return answer as Answer;
}

/** The attempts in a record of the viewer. */
interface RecordWithAttempts {
  readonly attempts: readonly {
    readonly block: string;
    readonly isStored: boolean;
    readonly attempts: readonly {
      readonly title: string;
      readonly fields: readonly { readonly column: string; readonly value: unknown }[];
    }[];
  }[];
}

test(
  'the viewer shows the figures, and the attempts at a row: stored ones, or those in a journal',
  { tags: 'long' },
  async () => {
    const { results, rows } = await create(judging().addAttempts({ ...JUDGED, keep: 'all' }), 'seen', {
      numRecords: 3,
    });
    expect(await viewed('seen', 'overview')).toMatchObject({ attempts: results.attempts });
    const stored = await viewed<RecordWithAttempts>('seen', 'record', { index: 1 });
    const values = rows[1]?.solve__all.map((attempt) =>
      Object.entries(attempt).map(([column, value]) => ({ column, value })),
    );
    expect(stored.attempts).toMatchObject([
      {
        block: 'solve',
        isStored: true,
        fields: ['solve__all'],
        attempts: values?.map((fields, at) => ({ title: `Attempt ${at + 1}`, fields })),
      },
    ]);
    // A run that ends early keeps the journal of its unfinished row group.
    const stop = new AbortController();
    requests = 0;
    onRequest = () => requests > 60 && stop.abort();
    const ended = create(solving().addAttempts(SOLVE), 'partly', {
      signal: stop.signal,
      runConfig: { bufferSize: 120 },
    });
    await expect(ended).rejects.toMatchObject({ code: 'run/aborted' });
    onRequest = () => {};
    const { attempts } = await viewed<Pick<RecordWithAttempts, 'attempts'>>('partly', 'attempts', { row: 0, group: 0 });
    expect(attempts).toMatchObject([{ block: 'solve', isStored: false }]);
    const made = attempts[0]?.attempts ?? [];
    expect(made.map(({ title }) => title)).toEqual(made.map((_, at) => `Attempt ${at + 1}`));
    const { rows: whole } = await create(solving().addAttempts({ ...SOLVE, keep: 'all', until: null }), 'tried', {
      numRecords: 1,
    });
    const tried = whole[0]?.solve__all.map(({ solution }) => [{ column: 'solution', value: solution }]);
    expect(made.map(({ fields }) => fields)).toMatchObject(tried?.slice(0, made.length) ?? []);
  },
);

/** A block that accepts two of five choices, which the simulator draws by the seed of a request. */
function choosing(max: number) {
  const choice = { type: 'string', enum: ['a', 'b', 'c', 'd', 'e'] };
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'writer', model: 'sim-small', provider: 'own', pricing: { input: 1, output: 2 } })
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
    .addColumn({
      name: 'answer',
      columnType: 'llm-structured',
      modelAlias: 'writer',
      prompt: 'Choose for {{ id }}.',
      outputFormat: { type: 'object', properties: { choice }, required: ['choice'] },
    })
    .addColumn({ name: 'after', columnType: 'llm-text', modelAlias: 'writer', prompt: 'Why {{ answer.choice }}?' })
    .addAttempts({ name: 'choose', columns: ['answer'], until: "answer.choice in ['a', 'b']", max });
}

const near = (found: number, wanted: number) => expect(found / wanted).toBeCloseTo(1, 1);

test(
  'a rehearsal forecasts the attempts of a run by the pass rate of its sample, or by a given one',
  { tags: 'long' },
  async () => {
    await using simulator = await startSimulator();
    await using designer = new DataDesigner({
      artifactPath: folder,
      providers: { models: [{ name: 'own', endpoint: simulator.url, apiKey: 'key' }], tools: [] },
      runConfig: { seed: 3 },
    });
    const { attempts, usage, cost, count } = await designer.create(choosing(8), {
      numRecords: 600,
      datasetName: 'true',
    });
    const { attempts: made = 0 } = attempts['choose'] ?? {};
    const answers = Object.values(usage['writer']?.columns['answer'] ?? {}).reduce(
      (sum, { requests: one }) => sum + one,
      0,
    );
    expect(answers).toBe(made);
    const rates = { numRecords: 600, sampleRows: 300, latency: '0' };
    const rehearsed = await designer.rehearse(choosing(8), rates);
    near(rehearsed.attempts?.['choose']?.attemptsPerRow ?? 0, made / 600);
    near(rehearsed.requests, made + count);
    near(rehearsed.cost ?? 0, cost ?? 0);
    near(rehearsed.rowsMade, count);
    const given = await designer.rehearse(choosing(8), { ...rates, sampleRows: 60, passRate: 0.8 });
    near(given.requests, 600 * (1.25 + 1));
    expect(given.assumptions.join()).toContain("'choose' accepts 80 % of its attempts, as given");
  },
);

describe.skipIf(NO_REDIS)(`a cluster${NO_REDIS ? ` (skipped: ${NO_REDIS})` : ''}`, () => {
  test('counts on three machines what one machine counts', { tags: 'long' }, async () => {
    await using cluster = await TestCluster.start({ latency: 0 });
    const machines = new TestMachines(cluster);
    const own = { endpoint: `${server.origin}/v1` };
    const options = { numRecords: 60, datasetName: 'shared' };
    const config = solving().addAttempts(SOLVE);
    const shared = machines.create(config, { ...options, cluster: { work: false } }, own);
    const path = join(cluster.folder, 'shared');
    const joined = [machines.join(path, {}, own), machines.join(path, {}, own)];
    const { attempts } = await shared;
    await Promise.all(joined);
    await machines.end();
    await using designer = cluster.newDesigner(own);
    const alone = await designer.create(config, { ...options, datasetName: 'alone' });
    expect(attempts['solve']?.rows).toBe(60);
    expect(attempts).toEqual(alone.attempts);
    expect((await loadDataset(path)).attempts).toEqual(alone.attempts);
  });
});
