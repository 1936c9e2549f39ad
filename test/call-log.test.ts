import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { runCommand, startDataDesigner } from './command-line.ts';

const KEY = 'sk-a-key-that-no-log-has';

let simulator: RunningSimulator;
let folder: string;

beforeAll(async () => {
  // Failures that are retried at once.
  simulator = await startSimulator('--faults', '503=0.15', '--retry-after', '0', '--api-key', KEY);
});
afterAll(() => simulator[Symbol.asyncDispose]());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'call-log-'));
});
afterEach(async () => {
  await simulator.release();
  rmSync(folder, { recursive: true });
});

const at = (...names: string[]) => join(folder, ...names);

/** A line of the log; a tool's has no counts. */
interface Line {
  readonly kind: 'model' | 'tool';
  readonly time: string;
  readonly alias: string;
  readonly column: string;
  readonly row: number;
  readonly attempt: string;
  readonly requests: number;
  readonly retries: number;
  readonly refused: number;
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly latency_ms: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly tool: string;
}

/** The lines of a log; throws for one that is not whole. */
function linesOf(path: string): Line[] {
  const text = readFileSync(path, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** What the model calls of a log add up to, in the words of the usage of a run. */
function usageIn(lines: readonly Line[]) {
  const calls = lines.filter(({ kind }) => kind === 'model');
  const sum = (key: 'requests' | 'refused' | 'input_tokens' | 'cached_input_tokens' | 'output_tokens') =>
    calls.reduce((total, line) => total + line[key], 0);
  return {
    requests: sum('requests'),
    refusedRequests: sum('refused'),
    inputTokens: sum('input_tokens'),
    cachedInputTokens: sum('cached_input_tokens'),
    outputTokens: sum('output_tokens'),
  };
}

function declared() {
  return {
    model_configs: [
      { alias: 'writer', model: 'sim-small', provider: 'own' },
      // The same model under another name: only the worker knows which alias a call is made for.
      { alias: 'critic', model: 'sim-small', provider: 'own', inference_parameters: { temperature: 0 } },
    ],
    tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'] }],
    columns: [
      { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
      {
        name: 'text',
        column_type: 'llm-text',
        model_alias: 'writer',
        tool_alias: 'facts',
        prompt: 'Secret recipe {{ id }}: use get_fact.',
      },
      {
        name: 'short',
        column_type: 'llm-structured',
        model_alias: 'critic',
        prompt: 'Shorten {{ text }}',
        output_format: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      },
    ],
  };
}

const built = () => DataDesignerConfigBuilder.fromConfig(declared());

function designer(): DataDesigner {
  const own = { name: 'own', endpoint: simulator.url, providerType: 'openai', apiKey: KEY } as const;
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [own], tools: [] },
    runConfig: { seed: 3, bufferSize: 4 },
  });
}

test(
  'the calls of the log add up to the usage of the run, and name alias, column, attempt and tool',
  { tags: 'long' },
  async () => {
    await using making = designer();
    const results = await making.create(await built(), { numRecords: 12, callLog: at('calls.jsonl') });
    const lines = linesOf(at('calls.jsonl'));
    const calls = lines.filter(({ kind }) => kind === 'model');
    for (const alias of ['writer', 'critic']) {
      expect(results.usage[alias]).toMatchObject(usageIn(calls.filter((line) => line.alias === alias)));
    }
    expect(new Set(calls.map(({ alias, column, attempt }) => `${alias} ${column} ${attempt}`))).toEqual(
      new Set(['writer text first', 'writer text toolTurn', 'critic short first', 'critic critic probe']),
    );
    expect(calls.some(({ retries }) => retries > 0)).toBe(true);
    expect(calls.every(({ requests, retries }) => retries === requests - 1)).toBe(true);
    const tools = lines.filter(({ kind }) => kind === 'tool');
    const counted = Object.values(results.tools).reduce((sum, { calls: count }) => sum + count, 0);
    expect(tools.length).toBe(counted);
    expect(tools.length).toBeGreaterThan(5);
    const number = expect.any(Number) as number;
    expect(tools[0]).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      kind: 'tool',
      group: number,
      row: number,
      column: 'text',
      call: number,
      provider: 'demo-tools',
      tool: expect.any(String) as string,
      latency_ms: number,
      status: 200,
      error: null,
    });
  },
);

test('a log has no prompt, no answer, no argument and no key', { tags: 'long' }, async () => {
  await using making = designer();
  const preview = await making.preview(await built(), { numRecords: 3, callLog: at('calls.jsonl') });
  const [record] = await Array.fromAsync(preview.records());
  const text = readFileSync(at('calls.jsonl'), 'utf8');
  expect(usageIn(linesOf(at('calls.jsonl'))).requests).toBeGreaterThanOrEqual(9);
  for (const hidden of [KEY, 'Secret recipe', 'Shorten', String(record?.['text']).slice(0, 20)]) {
    expect(hidden.length).toBeGreaterThan(5);
    expect(text).not.toContain(hidden);
  }
});

test(
  'a resumed run appends to the log, whose calls then add up to the usage of the whole dataset',
  { tags: 'long' },
  async () => {
    const callLog = at('calls.jsonl');
    await using making = designer();
    const drain = new AbortController();
    const options = { numRecords: 12, callLog, datasetName: 'resumed' };
    const first = await making
      .create(await built(), {
        ...options,
        drain: drain.signal,
        onEvent: ({ type }) => void (type === 'row-group-end' && drain.abort(new Error('enough'))),
      })
      .catch((failure: unknown) => failure);
    expect(first).toMatchObject({ code: 'run/aborted' });
    const before = linesOf(callLog).length;
    // As a process leaves it that was killed while it wrote.
    appendFileSync(callLog, '{"time":"20');
    const results = await making.create(await built(), { ...options, resume: 'always' });
    const text = readFileSync(callLog, 'utf8').replace('{"time":"20\n', '');
    writeFileSync(callLog, text);
    const lines = linesOf(callLog);
    expect(before).toBeGreaterThan(0);
    expect(lines.length).toBeGreaterThan(before);
    for (const alias of ['writer', 'critic']) {
      expect(results.usage[alias]).toMatchObject(usageIn(lines.filter((line) => line.alias === alias)));
    }
  },
);

test('a log that cannot be written is refused before the first request', async () => {
  const { answers } = await simulator.stats();
  writeFileSync(at('config.json'), JSON.stringify(declared()));
  const log = at('nowhere', 'calls.jsonl');
  for (const command of [['create', '-o', folder], ['preview']]) {
    const { code, stderr } = await runCommand([...command, at('config.json'), '--call-log', log]);
    expect(stderr).toContain(`Error [dataset/unwritable]: Cannot write to ${log}: there is no such folder.`);
    expect(code).toBe(1);
  }
  expect(existsSync(at('dataset'))).toBe(false);
  expect((await simulator.stats()).answers).toBe(answers);
});

for (const { what, signal } of [
  { what: 'killed process', signal: 'SIGKILL' },
  { what: 'second Ctrl-C', signal: 'SIGINT' },
] as const)
  test(`a ${what} leaves a log of whole lines`, { tags: 'long' }, async () => {
    writeFileSync(at('config.json'), JSON.stringify(declared()));
    const keyed = { providers: [{ name: 'own', endpoint: simulator.url, api_key: KEY }] };
    writeFileSync(at('providers.json'), JSON.stringify(keyed));
    const log = at(`${signal}.jsonl`);
    await simulator.holdAfter(20);
    const options = ['-n', '100', '-o', folder, '-d', signal, '--providers', at('providers.json')];
    const run = startDataDesigner(['create', at('config.json'), ...options, '--call-log', log]);
    while (!existsSync(log) || readFileSync(log).length === 0) await sleep(20);
    run.child.kill(signal);
    if (signal === 'SIGINT') {
      // Two signals at once may arrive as one.
      while (!run.said().includes('press Ctrl-C again')) await sleep(20);
      run.child.kill(signal);
    }
    await run.finished;
    expect(linesOf(log).length).toBeGreaterThan(0);
  });
