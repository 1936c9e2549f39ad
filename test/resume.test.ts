import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readDataset } from '@data-designer/dataset';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { folderJournal } from '../packages/dataset/src/journal/folder-journal.ts';
import { runCommand, startDataDesigner, type Started } from './command-line.ts';

const IN_FLIGHT = 8;
const ROWS = 24;
let folder: string;
let simulator: RunningSimulator;
let config: string;
let providers: string;

/** A model server of our own, so that what was bought can be counted over several runs. */
async function start(...flags: string[]): Promise<void> {
  simulator = await startSimulator(...flags);
  writeFileSync(providers, `providers:\n  - {name: counted, endpoint: "${simulator.url}"}\n`);
}

function create(...more: string[]): string[] {
  return [
    'create',
    config,
    '-n',
    `${ROWS}`,
    '-o',
    folder,
    '-d',
    'kept',
    '--providers',
    providers,
    '--seed',
    '9',
    ...more,
  ];
}

/** The server answers no more than a few requests after so many in all, so that no run ends before it is met. */
async function holdSoonAfter(answers: number): Promise<void> {
  await simulator.holdAfter(answers + IN_FLIGHT - (await simulator.stats()).answers);
}

async function untilAnswers(answers: number): Promise<void> {
  while ((await simulator.stats()).answers < answers) await sleep(40);
}

/** Ctrl-C, which is heard before answers go on. */
async function interrupt({ child, said }: Started): Promise<void> {
  child.kill('SIGINT');
  while (!said().includes('press Ctrl-C again to stop now')) await sleep(5);
}

/** What the server has logged of its requests. */
function logged(log: string): { readonly hash: string; readonly status: number }[] {
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as { hash: string; status: number });
}

/** The dataset's rows, in order. */
function rows(name = 'kept'): Promise<unknown[]> {
  return Array.fromAsync(readDataset(join(folder, name)));
}

/** Makes a folder with a config. */
function prepare(): void {
  folder = mkdtempSync(join(tmpdir(), 'resume-'));
  config = join(folder, 'config.yaml');
  providers = join(folder, 'providers.yaml');
  writeFileSync(
    config,
    `model_configs:
  - {alias: writer, model: sim-small, provider: counted, inference_parameters: {max_parallel_requests: ${IN_FLIGHT}}}
tool_configs:
  - {tool_alias: facts, providers: [demo-tools]}
columns:
  - {name: topic, column_type: sampler, sampler_type: category, params: {values: [moon, salt, bees]}}
  - {name: id, column_type: sampler, sampler_type: category, params: {values: [${Array.from({ length: 400 }, (_, i) => i).join(', ')}]}}
  - {name: part, column_type: sampler, sampler_type: category, params: {values: [${Array.from({ length: 400 }, (_, i) => i).join(', ')}]}}
  - {name: first, column_type: llm-text, model_alias: writer, tool_alias: facts, with_trace: true, prompt: "Fact {{ id }}.{{ part }} about {{ topic }}, with the tool get_fact."}
  - {name: second, column_type: llm-text, model_alias: writer, prompt: "Shorter: {{ first }}"}
`,
  );
}

async function end(): Promise<void> {
  await simulator[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
}

const MANY_PROCESSES = { timeout: 300_000 };

describe('an unfinished dataset', () => {
  beforeEach(prepare);
  afterEach(end);

  for (const { times, kills, tags } of [
    { times: 'once', kills: [20], tags: [] },
    { times: 'twice', kills: [6, 36], tags: ['long'] },
  ])
    test(
      `a run killed ${times} and resumed makes the same dataset and repeats almost no request`,
      { ...MANY_PROCESSES, tags },
      async () => {
        await start('--latency', '60');
        for (const [index, answers] of kills.entries()) {
          await holdSoonAfter(answers);
          const run = startDataDesigner(index === 0 ? create() : create('-r', 'always'));
          await untilAnswers(answers);
          run.child.kill('SIGKILL');
          expect((await run.finished).code).toBe(null);
          expect(readdirSync(join(folder, 'kept', 'journal')).length).toBeGreaterThan(0);
        }
        await simulator.release();
        const { code, stderr } = await runCommand(create('-r', 'always'));
        expect(stderr).not.toContain('Error');
        expect(code).toBe(0);
        const bought = await simulator.stats();
        expect(bought.boughtTwice).toBeLessThanOrEqual(kills.length * IN_FLIGHT);
        const finished = await rows();
        expect(finished).toHaveLength(ROWS);
        expect(readdirSync(join(folder, 'kept', 'journal'))).toEqual([]);
        const whole = await runCommand(create().map((arg) => (arg === 'kept' ? 'whole' : arg)));
        expect(whole.code).toBe(0);
        expect(await rows('whole')).toEqual(finished);
        // Traces included, with what answers say of themselves.
        const usage = { input_tokens: expect.any(Number) as number, output_tokens: expect.any(Number) as number };
        const answer = { model: 'sim-small', usage, finish_reason: 'stop' };
        for (const row of finished)
          expect((row as { first__trace: unknown[] }).first__trace.at(-1)).toMatchObject(answer);
      },
    );

  test('Ctrl-C waits for open requests, and the resume repeats none of them', { tags: 'long' }, async () => {
    await start('--latency', '200');
    await holdSoonAfter(10);
    const run = startDataDesigner(create());
    await untilAnswers(10);
    await interrupt(run);
    await simulator.release();
    const { code, stderr } = await run.finished;
    expect(code).toBe(130);
    expect(stderr).toContain('--resume always');
    const { answers } = await simulator.stats();
    expect((await runCommand(create('-r', 'always'))).code).toBe(0);
    const after = await simulator.stats();
    expect(answers).toBeGreaterThanOrEqual(10);
    expect(after.boughtTwice).toBe(0);
    expect(await rows()).toHaveLength(ROWS);
  });

  test('Ctrl-C during retry waits still waits for open requests only', { tags: 'long' }, async () => {
    const log = join(folder, 'log.ndjson');
    // Less than the time that a run which is to end waits for answers: one that waited for the others would ask again.
    await start('--limit', '2', '--retry-after', '25', '--log', log);
    await simulator.holdAfter(0);
    const run = startDataDesigner(create());
    while ((await simulator.stats()).requests < IN_FLIGHT) await sleep(40);
    await interrupt(run);
    await simulator.release();
    expect((await run.finished).code).toBe(130);
    const { requests } = await simulator.stats();
    await expect.poll(() => logged(log).length).toBe(requests);
    const refused = logged(log).filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(logged(log).map(({ hash }) => hash)).size).toBe(requests);
    const { answers } = await simulator.stats();
    expect(answers).toBeGreaterThan(0);
    const { entries } = await folderJournal(join(folder, 'kept', 'journal', 'group_00000')).read();
    expect(entries.length).toBeGreaterThanOrEqual(answers);
  });

  test('a partial file, a torn journal and a stale lock do not prevent a resume', { tags: 'long' }, async () => {
    await start();
    const small = join(folder, 'small.yaml');
    writeFileSync(small, 'buffer_size: 8\ncompact: false\n');
    expect((await runCommand(create('-c', small))).code).toBe(0);
    const before = await rows();
    const files = join(folder, 'kept', 'parquet-files');
    expect(readdirSync(files)).toHaveLength(3);
    truncateSync(join(files, 'batch_00001.parquet'), 700);
    const journal = join(folder, 'kept', 'journal', 'group_00001');
    mkdirSync(journal);
    writeFileSync(join(journal, '000001.journal'), 'ddj1garbage');
    appendFileSync(join(folder, 'kept', 'tmp-partial-parquet-files', 'batch_00001.parquet'), 'half');
    const again = await runCommand(create('-c', small, '-r', 'always', '--re-request'));
    expect(again.stderr).toContain('16 of them already made; 1 row group to make');
    expect(again.code).toBe(0);
    expect(await rows()).toEqual(before);
  });

  test('a resume completes a dataset after its server was down', { tags: 'long' }, async () => {
    await start();
    const address = readFileSync(providers, 'utf8');
    writeFileSync(providers, 'providers:\n  - {name: counted, endpoint: "http://127.0.0.1:9/v1"}\n');
    writeFileSync(
      config,
      readFileSync(config, 'utf8').replace('max_parallel_requests: 8', 'max_parallel_requests: 60, timeout: 1'),
    );
    const down = await runCommand(create());
    expect(down.stderr).toContain('[model/unreachable]');
    writeFileSync(providers, address);
    const up = await runCommand(create('-r', 'always'));
    expect(up.code).toBe(0);
    expect(await rows()).toHaveLength(ROWS);
  });

  test('a second writer is refused, and a resume without a dataset fails', { tags: 'long' }, async () => {
    await start('--latency', '100');
    const none = await runCommand(create('-r', 'always'));
    expect(none.stderr).toContain('[dataset/missing]');
    await holdSoonAfter(5);
    const run = startDataDesigner(create());
    await untilAnswers(5);
    const second = await runCommand(create('-r', 'always'));
    expect(second.stderr).toContain('[dataset/locked]');
    expect(second.code).toBe(1);
    await simulator.release();
    expect((await run.finished).code).toBe(0);
    expect((await simulator.stats()).boughtTwice).toBe(0);
    expect(await rows()).toHaveLength(ROWS);
  });
});

describe('a finished dataset', () => {
  let before: unknown[];

  beforeAll(async () => {
    prepare();
    await start();
    await runCommand(create());
    before = await rows();
  });

  afterAll(end);

  test.each<{ change: string; edit?: (text: string) => string; flags?: string[]; said: string | RegExp }>([
    {
      change: 'another configuration',
      edit: (text) => text.replace('Shorter:', 'Longer:'),
      said: /config\.yaml:\d+:\d+: columns\[\d\]\.prompt: column '\w+': it was 'Shorter: .*' when the dataset was started, and is now 'Longer: /,
    },
    { change: 'another seed', flags: ['--seed', '10'], said: 'its seed is 9, not 10' },
    { change: 'fewer rows', flags: ['-n', '5'], said: `started with ${ROWS} rows` },
    {
      change: 'another format',
      flags: ['-f', 'arrow'],
      said: 'its files are parquet, not arrow. Ask for that format (-f parquet,',
    },
  ])('refuses a resume with $change and stays unchanged', { tags: 'long' }, async ({ edit, flags = [], said }) => {
    const text = readFileSync(config, 'utf8');
    if (edit) writeFileSync(config, edit(text));
    const { code, stderr } = await runCommand(create('-r', 'always', ...flags));
    writeFileSync(config, text);
    expect(stderr).toContain('[dataset/incompatible]');
    expect(stderr).toMatch(said);
    expect(code).toBe(1);
    expect(before).toHaveLength(ROWS);
    expect(await rows()).toEqual(before);
  });

  test('is not changed by a resume, which needs no model server', async () => {
    const journal = join(folder, 'kept', 'journal', 'group_00000');
    mkdirSync(journal);
    writeFileSync(join(journal, '000001.journal'), 'ddj1');
    const address = readFileSync(providers, 'utf8');
    writeFileSync(providers, 'providers:\n  - {name: counted, endpoint: "http://127.0.0.1:9/v1"}\n');
    const again = await runCommand(create('-r', 'always', '--json'));
    writeFileSync(providers, address);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ records: ROWS, requested: ROWS });
    expect(readdirSync(join(folder, 'kept', 'journal'))).toEqual([]);
  });

  test('is extended by a resume with more rows, which keeps its rows', { tags: 'long' }, async () => {
    const more = create('-r', 'always').map((arg) => (arg === `${ROWS}` ? `${ROWS + 6}` : arg));
    expect((await runCommand(more)).code).toBe(0);
    const after = await rows();
    expect(after).toHaveLength(ROWS + 6);
    expect(after.slice(0, ROWS)).toEqual(before);
  });
});
