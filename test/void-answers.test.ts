import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readDataset } from '@data-designer/dataset';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { folderJournal } from '../packages/dataset/src/journal/folder-journal.ts';
import { runCommand, startDataDesigner } from './command-line.ts';

const ROWS = 40;
/** Requests under way at a time, at most. */
const IN_FLIGHT = 8;
let folder: string;
let simulator: RunningSimulator;

const at = (...names: string[]) => join(folder, ...names);

/** How the model is reached, and what is sent to it with every request. */
function provide(extraBody: object = {}): void {
  const provider = { name: 'counted', endpoint: simulator.url, extra_body: extraBody };
  writeFileSync(at('providers.json'), JSON.stringify({ providers: [provider] }));
}

function settle(settings: object): void {
  writeFileSync(at('settings.json'), JSON.stringify(settings));
}

function declare({ price = 2, parallel = IN_FLIGHT } = {}): void {
  const ask = { column_type: 'llm-text', model_alias: 'writer' };
  const tools = { tool_alias: 'facts', prompt: 'A fact on {{ id }}, with the tool get_fact.' };
  const config = {
    model_configs: [
      {
        alias: 'writer',
        model: 'sim-small',
        provider: 'counted',
        pricing: { input: price, output: price },
        inference_parameters: { max_parallel_requests: parallel },
      },
    ],
    tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'] }],
    columns: [
      { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
      { ...ask, name: 'first', ...tools },
      { ...ask, name: 'beside', prompt: 'Say {{ id }}.' },
      { ...ask, name: 'second', prompt: 'Shorter: {{ first }} {{ beside }}' },
    ],
  };
  writeFileSync(at('config.json'), JSON.stringify(config));
}

function create(...more: string[]): string[] {
  const files = ['--providers', at('providers.json'), '-c', at('settings.json')];
  return ['create', at('config.json'), '-n', `${ROWS}`, '-o', folder, '-d', 'kept', '--seed', '9', ...files, ...more];
}

/** A run that is killed in the middle. */
async function killAfter(answers: number): Promise<void> {
  // Few more come, so that it does not end before it is killed.
  await simulator.holdAfter(answers + IN_FLIGHT);
  const run = startDataDesigner(create());
  while ((await simulator.stats()).answers < answers) await sleep(40);
  run.child.kill('SIGKILL');
  await run.finished;
  await simulator.release();
}

/** What the journals hold, by unfinished group. */
async function journals() {
  const names = readdirSync(at('kept', 'journal'));
  return Promise.all(
    names.map(async (name) => [name, await folderJournal(at('kept', 'journal', name)).read()] as const),
  );
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'void-answers-'));
  simulator = await startSimulator('--latency', '60');
  provide();
  settle({ buffer_size: 15 });
  declare();
});

afterEach(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const MANY_PROCESSES = { timeout: 300_000 };

test(
  'a changed extra_body is reported with the void answers, and restoring it resumes without loss',
  MANY_PROCESSES,
  async () => {
    await killAfter(60);
    const before = await journals();
    const { requests } = await simulator.stats();
    const answers = before.flatMap(([, { entries }]) => entries).length;
    provide({ note: 'changed' });
    const { code, stderr } = await runCommand(create('-r', 'always'));
    expect(code).toBe(1);
    expect(stderr).toContain('[journal/void]');
    expect(stderr).toMatch(/column 'first': \d+.*column 'beside': \d+|column 'beside': \d+.*column 'first': \d+/);
    expect(stderr).toMatch(/total cost 0\.\d+/);
    expect(stderr).toContain('--re-request');
    expect((await simulator.stats()).requests).toBe(requests);
    expect(await journals()).toEqual(before);
    const told = [...stderr.matchAll(/column '\w+': (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    expect(told).toBeGreaterThan(0);
    expect(told).toBeLessThanOrEqual(answers);
    provide();
    expect((await runCommand(create('-r', 'always'))).code).toBe(0);
    expect((await simulator.stats()).boughtTwice).toBeLessThanOrEqual(IN_FLIGHT);
    expect(await Array.fromAsync(readDataset(at('kept')))).toHaveLength(ROWS);
  },
);

test('--re-request sends the requests of void answers again and counts them in --json and metadata.json', async () => {
  await killAfter(60);
  provide({ note: 'changed' });
  const { code, stdout, stderr } = await runCommand(create('-r', 'always', '--re-request', '--json'));
  expect(code).toBe(0);
  const announced = Number(
    /"journal-void".*?"answers":(\d+)|(\d+) answers that are kept/.exec(stderr)?.slice(1).find(Boolean),
  );
  expect(announced).toBeGreaterThan(0);
  const metadata = JSON.parse(readFileSync(at('kept', 'metadata.json'), 'utf8')) as object;
  expect(JSON.parse(stdout)).toMatchObject({ records: ROWS, reRequested: announced });
  expect(metadata).toMatchObject({ re_requested_answers: announced });
  expect(readdirSync(at('kept', 'journal'))).toEqual([]);
  const again = await runCommand(create('-r', 'always', '--json'));
  expect(JSON.parse(again.stdout)).toMatchObject({ reRequested: announced });
});

test('prices, concurrency, restarts, added row groups and the number of workers void no answer', async () => {
  await killAfter(60);
  declare({ price: 5, parallel: 3 });
  settle({ buffer_size: 10, max_concurrent_row_groups: 7, max_conversation_restarts: 1, max_cost: 50 });
  const { code, stderr } = await runCommand(create('-r', 'always'));
  expect(stderr).not.toMatch(/no longer (fit|match)/);
  expect(code).toBe(0);
  expect((await simulator.stats()).boughtTwice).toBeLessThanOrEqual(IN_FLIGHT);
});
