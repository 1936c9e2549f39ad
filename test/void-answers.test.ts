import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readDataset } from '@data-designer/dataset';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { folderJournal } from '../packages/dataset/src/journal/folder-journal.ts';
import { runCommand } from './command-line.ts';

const ROWS = 20;
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

/** A run that its budget ends in the middle. */
async function leaveUnfinished(): Promise<void> {
  await runCommand(create('--max-cost', '0.008'));
  expect(await journals()).not.toEqual([]);
}

/** What the journals hold, by unfinished group. */
async function journals() {
  const names = readdirSync(at('kept', 'journal')).filter((name) => !name.endsWith('.partial'));
  return Promise.all(
    names.map(async (name) => [name, await folderJournal(at('kept', 'journal', name)).read()] as const),
  );
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'void-answers-'));
  simulator = await startSimulator('--latency', '20');
  provide();
  settle({ buffer_size: 8 });
  declare();
});

afterEach(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

test(
  'a changed extra_body is reported with the void answers, and restoring it resumes without loss',
  { tags: 'long' },
  async () => {
    await leaveUnfinished();
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

test(
  '--re-request sends the requests of void answers again and counts them in --json and metadata.json',
  { tags: 'long' },
  async () => {
    await leaveUnfinished();
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
  },
);

test(
  'prices, concurrency, restarts, added row groups and the number of workers void no answer',
  { tags: 'long' },
  async () => {
    await leaveUnfinished();
    declare({ price: 5, parallel: 3 });
    settle({ buffer_size: 5, max_concurrent_row_groups: 7, max_conversation_restarts: 1, max_cost: 50 });
    const { code, stderr } = await runCommand(create('-r', 'always'));
    expect(stderr).not.toMatch(/no longer (fit|match)/);
    expect(code).toBe(0);
    expect((await simulator.stats()).boughtTwice).toBeLessThanOrEqual(IN_FLIGHT);
  },
);
