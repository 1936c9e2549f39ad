import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CreateOptions, DataDesigner } from 'data-designer';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import type { ProgressSnapshot } from '../packages/engine/src/progress/progress-snapshot.ts';
import type { RunEvent } from '../packages/engine/src/run-event.ts';
import { dataDesigner } from './command-line.ts';
import { screenOf } from './terminal-screen.ts';

const ROWS = 24;
const LIMIT = 8;
const MODEL = {
  provider: 'counted',
  skip_health_check: true,
  structured_output: false,
  inference_parameters: { max_parallel_requests: LIMIT },
};
const CONFIG = {
  model_configs: [
    { alias: 'writer', model: 'sim-small', ...MODEL, pricing: { input: 3, output: 15 } },
    { alias: 'editor', model: 'sim-large', ...MODEL, pricing: { input: 10, output: 40 } },
  ],
  tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'] }],
  columns: [
    { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
    {
      name: 'fact',
      column_type: 'llm-text',
      model_alias: 'writer',
      tool_alias: 'facts',
      prompt: 'Say {{ id }} with the tool get_fact.',
    },
    { name: 'more', column_type: 'llm-text', model_alias: 'editor', prompt: 'Go on: {{ fact }}' },
  ],
};

let folder: string;
let simulator: RunningSimulator;

beforeAll(async () => {
  simulator = await startSimulator('--latency', '80');
});

afterAll(() => simulator[Symbol.asyncDispose]());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'progress-'));
  write('config.json', CONFIG);
  write('providers.json', { providers: [{ name: 'counted', endpoint: simulator.url }] });
  write('settings.json', { buffer_size: 12, progress_interval: 0.2 });
});

afterEach(async () => {
  await simulator.release();
  rmSync(folder, { recursive: true });
});

function write(name: string, value: unknown): void {
  writeFileSync(join(folder, name), JSON.stringify(value));
}

function createArgs(...more: string[]): string[] {
  const at = (name: string) => join(folder, name);
  const files = ['--providers', at('providers.json'), '-c', at('settings.json')];
  return ['create', at('config.json'), '-n', `${ROWS}`, '-o', folder, '--seed', '4', ...files, ...more];
}

function snapshotsOf(events: readonly RunEvent[]): ProgressSnapshot[] {
  return events.flatMap((event) => (event.type === 'progress' ? event.snapshot : []));
}

function designerOf(endpoint: string): DataDesigner {
  const model = { name: 'counted', endpoint, providerType: 'openai', apiKey: null } as const;
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ ...model, extraBody: null, extraHeaders: null }], tools: [] },
    runConfig: { seed: 6, bufferSize: 12 },
  });
}

async function created(numRecords: number, resume: 'never' | 'always') {
  await using designer = designerOf(simulator.url);
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent) => void events.push(event);
  const results = await designer.create({ document: CONFIG, source: 'here' }, { numRecords, resume, onEvent });
  return { results, events, snapshots: snapshotsOf(events) };
}

test(
  'progress ends with the numbers of the results and reports open row groups and models',
  { tags: 'long' },
  async () => {
    const { results, events, snapshots } = await created(ROWS, 'never');
    const last = snapshots.at(-1) as ProgressSnapshot;
    expect(last.rows).toMatchObject({ wanted: ROWS, done: results.count, before: 0, lost: 0 });
    expect(last.groups).toEqual({ total: 2, done: 2, open: 0 });
    expect(last.cost).toMatchObject({ soFar: results.cost, forecast: results.cost, budget: null, left: null });
    expect(results.cost).toBeGreaterThan(0);
    for (const [alias, { requests, inputTokens, outputTokens, cost }] of Object.entries(results.usage)) {
      expect(last.usage[alias]).toMatchObject({ requests, inputTokens, outputTokens, cost });
    }
    expect(last.tools.calls).toBe(results.tools['get_fact']?.calls);
    expect(events.findLastIndex(({ type }) => type === 'progress')).toBe(events.length - 2);

    const beforeFirstCommit = events.slice(
      0,
      events.findIndex(({ type }) => type === 'row-group-end'),
    );
    expect(snapshotsOf(beforeFirstCommit).some(({ usage }) => (usage['writer']?.requests ?? 0) > 0)).toBe(true);
    const done = snapshots.map(({ rows }) => rows.done);
    expect(done).toEqual(done.toSorted((a, b) => a - b));

    // No more is in flight than the limit allows.
    const models = snapshots.flatMap((snapshot) => snapshot.models);
    expect(models.every(({ inFlight, limit }) => inFlight <= limit && limit === LIMIT)).toBe(true);
    expect(models.some(({ inFlight, waiting }) => inFlight > 0 && waiting > 0)).toBe(true);
    expect(new Set(models.map(({ model, aliases }) => `${model} ${aliases.join()}`))).toEqual(
      new Set(['counted/sim-small writer', 'counted/sim-large editor']),
    );
  },
);

test('the progress of a resume starts with the finished rows', { tags: 'long' }, async () => {
  const before = await created(ROWS, 'never');
  const { results, snapshots } = await created(ROWS + 12, 'always');
  const [first] = snapshots as [ProgressSnapshot];
  expect(first.rows).toMatchObject({ wanted: ROWS + 12, done: ROWS, before: ROWS, perSecond: 0 });
  expect(first.groups).toMatchObject({ total: 3, done: 2 });
  expect(first.cost.soFar).toBeCloseTo(before.results.cost as number);
  expect(first.cost.forecast).toBeCloseTo(((before.results.cost as number) * (ROWS + 12)) / ROWS);
  expect(snapshots.at(-1)?.cost.soFar).toBe(results.cost);
});

/** Makes rows until so many are there; gives the last snapshot that was seen before that ended it. */
async function madeUntil(done: number, endpoint: string, options: CreateOptions): Promise<ProgressSnapshot> {
  await using designer = designerOf(endpoint);
  const stop = new AbortController();
  const seen: ProgressSnapshot[] = [];
  const onEvent = (event: RunEvent): void => {
    if (event.type !== 'progress' || stop.signal.aborted) return;
    seen.push(event.snapshot);
    if (event.snapshot.rows.done >= done) stop.abort();
  };
  const asked = { numRecords: ROWS, signal: stop.signal, onEvent, ...options };
  await expect(designer.create({ document: CONFIG, source: 'here' }, asked)).rejects.toMatchObject({
    code: 'run/aborted',
  });
  return seen.at(-1) as ProgressSnapshot;
}

test('rows made from journals count as done but not in the rates', { tags: 'long' }, async () => {
  const before = await madeUntil(3, simulator.url, {});
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const after = await madeUntil(before.rows.done, `http://127.0.0.1:${port}/v1`, { resume: 'always' });
  silent.closeAllConnections();
  silent.close();
  expect(after.rows.done).toBeGreaterThanOrEqual(before.rows.done);
  expect(after).toMatchObject({ rows: { perSecond: 0 }, etaSeconds: null });
});

test(
  'with --json events are JSON lines on standard error, and standard output is one object',
  { tags: 'long' },
  async () => {
    const { code, stdout, stderr } = await dataDesigner(createArgs('--json'));
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as { records: number; cost: number };
    const events = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent);
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(['tool-session-start', 'run-start', 'progress', 'row-group-end', 'run-end']),
    );
    const snapshots = snapshotsOf(events);
    expect(snapshots.length).toBeGreaterThan(2);
    expect(snapshots[0]?.rows.done).toBe(0);
    expect(snapshots.at(-1)).toMatchObject({ rows: { done: report.records }, cost: { soFar: report.cost } });
  },
);

test('without a terminal progress is printed as lines', { tags: 'long' }, async () => {
  const { stderr } = await dataDesigner(createArgs());
  const lines = stderr.split('\n');
  expect(lines).toContainEqual(
    `Models: writer (sim-small, at most ${LIMIT} parallel requests); editor (sim-large, at most ${LIMIT} parallel requests)`,
  );
  const progress = lines.filter((line) => / of 24 rows, /.test(line));
  expect(progress.length).toBeGreaterThan(1);
  // The last line may come when all rows are made, and then tells of no time that is left.
  expect(progress).toContainEqual(
    expect.stringMatching(
      / rows\/s, .* left; cost 0\.\d+, about .* in all \(in the currency of your prices\); counted\/sim-small: \d of 8 in flight/,
    ),
  );
  expect(stderr).not.toContain('\u001b');
});

const noScript = spawnSync('script', ['--version']).status === 0 ? false : 'there is no `script` of util-linux';
const main = fileURLToPath(new URL('../packages/data-designer/bin/data-designer.js', import.meta.url));

const CTRL_C = '\u0003';
const SOME_ROWS = /\[#+>*-+\] \d+ of 24 rows/;
const DRAINING = /press Ctrl-C again to stop now/;

type Step = readonly [shows: RegExp, then: 'press Ctrl-C' | 'let answers go'];

/** Runs `create` in a pseudo terminal of 90 columns and 12 lines; answers are held in its middle, and steps taken in turn. */
async function onTerminal(...steps: readonly Step[]) {
  await simulator.holdAfter(36);
  const words = [process.execPath, main, ...createArgs()];
  const command = `stty cols 90 rows 12 -echo; :; ${words.map((word) => `'${word}'`).join(' ')}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TERM: 'xterm', NO_COLOR: '1' },
  });
  const left = [...steps];
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    const [shows, then] = left[0] ?? [];
    if (!shows?.test(written)) return;
    left.shift();
    if (then === 'press Ctrl-C') child.stdin.write(CTRL_C);
    else void simulator.release();
  });
  const [code] = (await once(child, 'close')) as [number];
  return { written, code, screen: screenOf(written, { columns: 90, rows: 12 }) };
}

test.skipIf(noScript)('on a terminal progress is a panel, which is removed at the end', async () => {
  const { written, code, screen } = await onTerminal([SOME_ROWS, 'let answers go']);
  expect(code).toBe(0);
  expect(written).toMatch(SOME_ROWS);
  expect(written).toContain('input tokens/s');
  expect(screen.lines.filter((line) => line.includes('of 24 rows'))).toEqual([]);
  expect(screen.lines).toContainEqual(expect.stringMatching(/^row group \d: 12 records$/));
  expect(screen.lines).toContainEqual(expect.stringMatching(/^24 of 24 records in /));
  expect(screen.lines.at(-3)).toMatch(/^Look at the records: {2}npx data-designer show \S+\/dataset/);
  expect(screen.lines.at(-2)).toMatch(/^See the statistics: {3}npx data-designer report \S+\/dataset/);
  expect(screen.lines.at(-1)).toMatch(/^In the browser: {7}npx data-designer view \S+\/dataset/);
  // Cells in flight are shown before the first answer.
  expect(written).toMatch(/\[>+-+\] 0 of 24 rows, 0 of 48 cells \(0%\)/);
  expect(written).toMatch(/fact {2,}\d+ of 24 \(\d+%\), \d in flight/);
  expect(screen.hidCursor).toBe(false);
});

test.skipIf(noScript)(
  'after Ctrl-C the panel is removed, and a line states the progress',
  { tags: 'long' },
  async () => {
    const { code, screen } = await onTerminal([/input tokens\/s/, 'press Ctrl-C'], [DRAINING, 'let answers go']);
    expect(code).toBe(130);
    expect(screen.lines.filter((line) => /\d+ of 24 rows, /.test(line))).toEqual([
      expect.stringMatching(/^\d+ of 24 rows/),
    ]);
    expect(screen.lines.join('\n')).toMatch(
      /^Interrupted\. \d+ of 24 rows and \d+ answers are saved; continue with: npx data-designer creat\n?e/m,
    );
    expect(screen.cursor.column).toBe(0);
  },
);

test.skipIf(noScript)(
  'a second Ctrl-C removes the panel and prints the command that continues',
  { tags: 'long' },
  async () => {
    const { code, screen } = await onTerminal([/input tokens\/s/, 'press Ctrl-C'], [DRAINING, 'press Ctrl-C']);
    expect(code).toBe(130);
    expect(screen.lines.filter((line) => /\[[#>-]+\] \d+ of 24 rows/.test(line))).toEqual([]);
    // The hint is longer than a line of this terminal.
    expect(screen.lines.join('\n')).toMatch(
      /^Interrupted\. \d+ of 24 rows and \d+ answers are saved; continue with: npx/m,
    );
    expect(screen.cursor.column).toBe(0);
    expect(screen.hidCursor).toBe(false);
  },
);
