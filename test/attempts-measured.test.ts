import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataDesigner, loadDataset } from 'data-designer';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NO_REDIS, startRedis } from '../packages/cluster/test/start-redis.ts';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { startDataDesigner } from './command-line.ts';

const SEEDS = 10_000;
const TIMEOUT = 900_000;
const tags = ['long'];

let folder: string;
let server: AnsweringServer;
/** How often each request was answered, by its seed and question. */
let answered: Map<string, number>;
let delayMs = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attempts-measured-'));
  server = await openAnsweringServer(async (text, response) => {
    if (delayMs > 0) await sleep(delayMs);
    const { seed, messages } = JSON.parse(text) as { seed: number; messages: readonly { content: string }[] };
    const key = `${seed} ${messages.at(-1)?.content}`;
    answered.set(key, (answered.get(key) ?? 0) + 1);
    const draw = createHash('sha256').update(key).digest().readUInt32BE(0) / 2 ** 32;
    reply(response, completion(`${draw < 0.4 ? 'right' : 'wrong'} ${seed}`));
  });
  const rows = Array.from({ length: SEEDS }, (_, seed) => JSON.stringify({ problem: `P${seed}` }));
  writeFileSync(join(folder, 'problems.jsonl'), rows.join('\n'));
  writeFileSync(join(folder, 'config.json'), JSON.stringify(document()));
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ buffer_size: 500 }));
  const provider = { name: 'own', endpoint: `${server.origin}/v1`, provider_type: 'openai', api_key: 'key' };
  writeFileSync(join(folder, 'providers.json'), JSON.stringify({ providers: [provider] }));
});
beforeEach(() => {
  answered = new Map();
});
afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

function document() {
  return {
    model_configs: [
      { alias: 'solver', model: 'm', provider: 'own', inference_parameters: { max_parallel_requests: 64 } },
    ],
    seed_config: { source: { seed_type: 'local', path: join(folder, 'problems.jsonl') } },
    columns: [
      { name: 'solution', column_type: 'llm-text', model_alias: 'solver', prompt: 'Solve {{ problem }}.' },
      { name: 'passed', column_type: 'expression', expr: "{{ solution.startswith('right') }}", dtype: 'bool' },
    ],
    attempts: [{ name: 'solve', columns: ['solution', 'passed'], until: 'passed', max: 8 }],
  };
}

interface SolvedRow {
  readonly problem: string;
  readonly solution: string;
  readonly solve__attempts: number;
}

function designerOf(maxConcurrentRowGroups?: number) {
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: `${server.origin}/v1`, apiKey: 'key' }], tools: [] },
    runConfig: { seed: 3, bufferSize: 500, ...(maxConcurrentRowGroups && { maxConcurrentRowGroups }) },
  });
}

const total = () => [...answered.values()].reduce((sum, count) => sum + count, 0);

async function rowsOf(results: { records(): AsyncIterable<unknown> }): Promise<readonly SolvedRow[]> {
  return (await Array.fromAsync(results.records())) as readonly SolvedRow[];
}

/** The rows of a run with one row group at a time. */
let whole: readonly SolvedRow[];

async function create(datasetName: string, groups?: number): Promise<readonly SolvedRow[]> {
  await using designer = designerOf(groups);
  const declared = { document: document(), source: 'the test' };
  return rowsOf(await designer.create(declared, { numRecords: SEEDS, datasetName }));
}

test(
  'of 10,000 seeds 98.3 % are solved, each once, with 2.46 requests for each',
  { tags, timeout: TIMEOUT },
  async () => {
    whole = await create('one', 1);
    expect(new Set(whole.map(({ problem }) => problem)).size).toBe(whole.length);
    expect(Math.abs(whole.length / SEEDS - 0.983)).toBeLessThan(0.004);
    const expected = (1 - 0.6 ** 8) / 0.4;
    expect(Math.abs(total() / SEEDS / expected - 1)).toBeLessThan(0.02);
    expect(total()).toBe(answered.size);
    process.stdout.write(`${(whole.length / SEEDS) * 100} % solved, ${total() / SEEDS} requests a seed\n`);
  },
);

test('eight row groups at once accept the same attempts', { tags, timeout: TIMEOUT }, async () => {
  expect(await create('eight', 8)).toEqual(whole);
  expect(total()).toBe(answered.size);
});

test('thirty kills change no attempt, and no journaled one is bought again', { tags, timeout: TIMEOUT }, async () => {
  const at = (name: string) => join(folder, name);
  const words = ['create', at('config.json'), '--providers', at('providers.json'), '-c', at('settings.json')];
  const where = ['-n', String(SEEDS), '-o', folder, '-d', 'killed', '--seed', '3'];
  const resume = ['--resume', 'always'];
  const kills = 30;
  for (let kill = 0; kill < kills; kill++) {
    const before = total();
    const { child, finished } = startDataDesigner([...words, ...where, ...(kill > 0 ? resume : [])]);
    while (child.exitCode === null && total() < before + (SEEDS * 2.2) / kills) await sleep(5);
    child.kill('SIGKILL');
    expect(await finished).toMatchObject({ code: null });
    await sleep(20);
  }
  expect(await startDataDesigner([...words, ...where, ...resume]).finished).toMatchObject({ code: 0 });
  expect(await rowsOf(await loadDataset(join(folder, 'killed')))).toEqual(whole);
  // Only requests that were under way at a kill are sent again.
  const again = total() - answered.size;
  process.stdout.write(`${again} of ${answered.size} requests came twice in ${kills} kills\n`);
  expect(again).toBeLessThanOrEqual(kills * 64);
});

describe.skipIf(NO_REDIS)(`a cluster${NO_REDIS ? ` (skipped: ${NO_REDIS})` : ''}`, () => {
  test('three machines accept the same attempts', { tags, timeout: TIMEOUT }, async () => {
    await using redis = await startRedis();
    await using first = designerOf();
    await using second = designerOf();
    await using third = designerOf();
    const cluster = { connection: redis.address };
    const declared = { document: document(), source: 'the test' };
    const shared = first.create(declared, { numRecords: SEEDS, datasetName: 'three', cluster });
    const joined = [second, third].map((one) => one.join(join(folder, 'three'), { connection: redis.address }));
    const rows = await rowsOf(await shared);
    await Promise.all(joined);
    expect(rows).toEqual(whole);
    expect(total()).toBe(answered.size);
  });
});
