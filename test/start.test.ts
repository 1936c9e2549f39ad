import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Responder, startResponder } from '../packages/bench/src/start-responder.ts';
import { runBuilt } from '../packages/bench/src/start/run-built.ts';
import { type ThreadNote, threadFiles } from '../packages/bench/src/start/thread-files.ts';

/** The most that each thread may load for a column of a model, a tenth above what it loads today: few rows, or many. */
const BUDGETS = {
  few: { main: { files: 63, kB: 2600 }, 'io-thread': { files: 13, kB: 780 } },
  many: { main: { files: 69, kB: 2600 }, worker: { files: 29, kB: 1680 }, 'io-thread': { files: 13, kB: 780 } },
} as const;

/** One more than the main thread makes. */
const MANY = 1001;

let folder: string;
let few: ReadonlyMap<string, ThreadNote>;
let many: ReadonlyMap<string, ThreadNote>;
let responder: Responder;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'start-'));
  responder = await startResponder();
  await writeFile(
    join(folder, 'model_providers.yaml'),
    `providers: [{ name: canned, endpoint: '${responder.endpoint}', provider_type: openai }]`,
  );
  const config = await writeConfig('text.yaml');
  few = await threadsOf(config, 1);
  many = await threadsOf(config, MANY);
});

/** Writes the declaration of a column of a model, and of others; returns its path. */
async function writeConfig(name: string, others = ''): Promise<string> {
  const path = join(folder, name);
  await writeFile(
    path,
    `model_configs: [{ alias: m, model: canned, provider: canned, skip_health_check: true }]
columns:
  - { name: text, column_type: llm-text, model_alias: m, prompt: Tell me something. }
${others}`,
  );
  return path;
}

/** What each thread of a preview loads; printed so that a log of the tests shows how the start grows. */
async function threadsOf(config: string, rows: number): Promise<ReadonlyMap<string, ThreadNote>> {
  const args = ['preview', config, '-n', String(rows), '--non-interactive'];
  const notes = await threadFiles(args, { DATA_DESIGNER_HOME: folder });
  for (const { thread, files, bytes, heapMb, cpuMs } of notes) {
    const figures = [`${files.length} files`, `${Math.round(bytes / 1000)} kB`, `${Math.round(heapMb)} MB heap`];
    process.stdout.write(`${thread}, ${rows} rows: ${figures.join(', ')}, ${Math.round(cpuMs)} ms CPU\n`);
  }
  return new Map(notes.map((note) => [note.thread, note]));
}

afterAll(async () => {
  await responder.end();
  await rm(folder, { recursive: true, force: true });
});

test('few rows are made in the main thread, more rows in worker threads', () => {
  expect([...few.keys()].toSorted()).toEqual(['io-thread', 'main']);
  expect([...many.keys()].toSorted()).toEqual(['io-thread', 'main', 'worker']);
});

const budgets = Object.entries(BUDGETS).flatMap(([rows, threads]) =>
  Object.entries(threads).map(([thread, budget]) => ({ rows, thread, budget })),
);

test.each(budgets)('with $rows rows the $thread thread loads no more than its budget', ({ rows, thread, budget }) => {
  const { files = [], bytes = 0 } = (rows === 'few' ? few : many).get(thread) ?? {};
  expect(files.length).toBeGreaterThan(5);
  expect(files.length).toBeLessThanOrEqual(budget.files);
  expect(bytes / 1000).toBeLessThanOrEqual(budget.kB);
});

test('the help loads the commands alone', async () => {
  const [main, ...others] = await threadFiles(['--help'], { DATA_DESIGNER_HOME: folder });
  expect(others).toEqual([]);
  expect(main?.files.length).toBeGreaterThan(5);
  expect(main?.files.length).toBeLessThanOrEqual(26);
  expect((main?.bytes ?? 0) / 1000).toBeLessThanOrEqual(340);
});

test('no thread loads a library that the config does not need', () => {
  const notes = [...few.values(), ...many.values()];
  const modules = notes.flatMap((note) => note.modules);
  expect(modules).toEqual(expect.arrayContaining([expect.stringContaining('node_modules/undici')]));
  const unneeded = /node_modules\/(?:@modelcontextprotocol|@duckdb|highlight\.js|@inquirer|hyparquet-writer)\//;
  expect(modules.filter((module) => unneeded.test(module))).toEqual([]);
  const files = notes.flatMap((note) => note.files);
  expect(
    files.filter((file) =>
      /[\\/]@?(?:duckdb|faker-js|astral-sh|guanmingchiu|pgsql-parser|opentelemetry)[\\/]/.test(file),
    ),
  ).toEqual([]);
});

/** Whether a thread has loaded modules of a bundled library. */
function loads(thread: string, library: string): boolean {
  return (many.get(thread)?.modules ?? []).some((module) => module.startsWith(`node_modules/${library}/`));
}

test('only the I/O thread loads undici, and it loads neither zod nor Arrow', () => {
  expect(['main', 'worker', 'io-thread'].filter((thread) => loads(thread, 'undici'))).toEqual(['io-thread']);
  expect(loads('io-thread', 'zod')).toBe(false);
  expect(loads('io-thread', 'apache-arrow')).toBe(false);
});

/** Notes the threads that run when the first module of DuckDB is loaded. */
const NOTE_THREADS = `
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';
const running = new Set();
let started = 0;
if (isMainThread) {
  process.on('worker', (worker) => { started++; running.add(worker); worker.once('exit', () => running.delete(worker)); });
  const hooks = registerHooks({ load: (url, context, next) => {
    if (url.includes('@duckdb')) {
      writeFileSync(process.env.RUNNING_THREADS, JSON.stringify({ started, running: running.size }));
      hooks.deregister();
    }
    return next(url, context);
  } });
}`;

/** The threads of a run with statistics when it loads DuckDB; undefined if it does not. */
async function threadsAtDuckDb(config: string): Promise<unknown> {
  const noted = `${config}-threads.json`;
  const preload = new URL(`data:text/javascript,${encodeURIComponent(NOTE_THREADS)}`);
  const args = ['create', config, '-n', '2', '-o', folder, '--report'];
  const { stdout } = await runBuilt(args, {
    environment: { DATA_DESIGNER_HOME: folder, RUNNING_THREADS: noted },
    preload,
  });
  expect(stdout).toContain('tokens');
  return existsSync(noted) ? JSON.parse(await readFile(noted, 'utf8')) : undefined;
}

test(
  'no thread of the run is left when DuckDB counts the statistics, which needs as much memory',
  { tags: 'long' },
  async () => {
    const gaussian = '  - { name: x, column_type: sampler, sampler_type: gaussian, params: { mean: 0, stddev: 1 } }';
    expect(await threadsAtDuckDb(await writeConfig('numbers.yaml', gaussian))).toEqual({ started: 1, running: 0 });
  },
);

test('the statistics of a few texts load no DuckDB', { tags: 'long' }, async () => {
  expect(await threadsAtDuckDb(await writeConfig('texts.yaml'))).toBeUndefined();
});
