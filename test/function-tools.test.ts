import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataDesigner, defineTool, image, type LocalToolProvider } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { RunEvent } from '@data-designer/engine';
import { dataDesigner, runCommand } from './command-line.ts';
import { toolColumn } from './tool-column.ts';

let artifactPath: string;

beforeEach(() => {
  artifactPath = mkdtempSync(join(tmpdir(), 'functions-'));
});

afterEach(() => {
  rmSync(artifactPath, { recursive: true });
});

const ROWS = 24;

/** A column whose prompt names one tool, so that each row calls it once at least. */
function declared(tool: string, timeoutSec = 5) {
  return toolColumn(tool, { provider: 'simulator', timeoutSec });
}

function designer(tools: readonly LocalToolProvider[], more: object = {}): DataDesigner {
  return new DataDesigner({
    artifactPath,
    providers: { models: [], tools },
    runConfig: { seed: 4, bufferSize: 4, ...more },
  });
}

function provider(...tools: Extract<LocalToolProvider, { tools: unknown }>['tools']): LocalToolProvider {
  return { name: 'mine', providerType: 'local', tools };
}

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly content_parts?: readonly { readonly type: string; readonly media_type?: string }[] | null;
}

/** What models were shown by tools. */
async function shown(records: AsyncIterable<{ readonly answer__trace: unknown }>): Promise<readonly Message[]> {
  const rows = await Array.fromAsync(records);
  const messages = rows.flatMap(({ answer__trace }) => answer__trace as readonly Message[]);
  return messages.filter(({ role }) => role === 'tool');
}

test('functions of the program are tools: typed, counted and reported as events', { tags: 'long' }, async () => {
  const places = new Set<number>();
  const rows = new Set<number>();
  const values: unknown[] = [];
  const events: RunEvent[] = [];
  const double = defineTool({
    name: 'double_it',
    description: 'Doubles a number.',
    parameters: z.object({ n: z.number().int().min(1).max(9), unit: z.string().default('apples') }),
    execute: async ({ n, unit }, { log, row }) => {
      places.add(process.pid);
      rows.add(row?.index ?? -1);
      values.push([row?.index, row?.values]);
      log(`doubling ${n}`);
      return { doubled: 2 * n, unit };
    },
  });
  await using making = designer([provider(double)]);
  const onEvent = (event: RunEvent) => void events.push(event);
  const results = await making.create(declared('double_it'), { numRecords: ROWS, onEvent });
  expect(results.count).toBe(ROWS);
  expect([...rows].toSorted((a, b) => a - b)).toEqual(Array.from({ length: ROWS }, (_, index) => index));
  const messages = await shown(results.records());
  const ids = (await Array.fromAsync(results.records())).map(({ id }) => id);
  // The columns that the calling cell reads, and no others.
  expect(values).toEqual(values.map((one) => [(one as [number])[0], { id: ids[(one as [number])[0]] }]));
  expect(messages.length).toBeGreaterThanOrEqual(ROWS);
  expect(messages.every(({ content }) => /^\{"doubled":\d+,"unit":".*"\}$/.test(content ?? ''))).toBe(true);
  const bytes = messages.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0);
  const { double_it: statistics } = results.tools;
  expect(statistics).toMatchObject({ calls: messages.length, errors: 0, timeouts: 0 });
  expect(statistics?.bytes).toBeGreaterThan(bytes);
  expect(statistics?.latencyMs.max).toBeGreaterThanOrEqual(statistics?.latencyMs.p50 ?? NaN);
  const logged = events.filter(({ type }) => type === 'tool-log');
  expect(logged).toHaveLength(messages.length);
  expect(logged[0]).toMatchObject({
    provider: 'mine',
    tool: 'double_it',
    message: expect.stringMatching(/^doubling \d$/),
  });
  const metadata = JSON.parse(readFileSync(join(results.path, 'metadata.json'), 'utf8')) as { tools: object };
  expect(metadata.tools).toEqual({ double_it: statistics });
});

test('a resume does not call a function tool whose outcome is journaled', { tags: 'long' }, async () => {
  let ran = 0;
  const stop = new AbortController();
  const tool = defineTool({
    name: 'count_it',
    parameters: { type: 'object', properties: {} },
    execute: () => {
      if (++ran === 10) stop.abort(new Error('enough'));
      return `number ${ran}`;
    },
  });
  const options = { numRecords: ROWS, datasetName: 'counted' };
  await using making = designer([provider(tool)], { bufferSize: ROWS });
  await expect(making.create(declared('count_it'), { ...options, drain: stop.signal })).rejects.toMatchObject({
    code: 'run/aborted',
  });
  const before = ran;
  expect(before).toBeGreaterThanOrEqual(10);
  const results = await making.create(declared('count_it'), { ...options, resume: 'always' });
  const messages = await shown(results.records());
  expect(ran).toBe(messages.length);
  expect(new Set(messages.map(({ content }) => content)).size).toBe(messages.length);
  expect(results.tools['count_it']).toMatchObject({ calls: messages.length, errors: 0 });
});

test('the tool statistics of an extended dataset cover all its runs', { tags: 'long' }, async () => {
  const tool = defineTool({ name: 'say_it', parameters: { type: 'object' }, execute: () => 'said' });
  await using making = designer([provider(tool)]);
  const first = await making.create(declared('say_it'), { numRecords: 8, datasetName: 'grown' });
  const whole = await making.create(declared('say_it'), { numRecords: 16, datasetName: 'grown', resume: 'always' });
  const messages = await shown(whole.records());
  expect(first.tools['say_it']?.calls).toBeLessThan(messages.length);
  expect(whole.tools['say_it']?.calls).toBe(messages.length);
});

test('images returned by a function tool are in the trace', { tags: 'long' }, async () => {
  const bytes = Buffer.from('iVBORw0KGgo=', 'base64');
  const tool = defineTool({
    name: 'draw_it',
    parameters: { type: 'object' },
    execute: () => ['Look:', image(bytes, 'image/png')],
  });
  await using making = designer([provider(tool)]);
  const messages = await shown((await making.preview(declared('draw_it'), { numRecords: 2 })).records());
  expect(messages[0]).toMatchObject({ content: null });
  expect(messages[0]?.content_parts?.map(({ type }) => type)).toEqual(['text', 'image']);
});

test('a function tool that throws or hangs costs no row: the model receives the error', async () => {
  const never = defineTool({ name: 'hang_it', parameters: { type: 'object' }, execute: () => new Promise(() => {}) });
  const hung = await designer([provider(never)]).preview(declared('hang_it', 0.2), { numRecords: 1 });
  const [message] = await shown(hung.records());
  expect(message?.content).toBe("Error: Tool 'hang_it' failed: no answer within 200 ms");
  const fail = defineTool({
    name: 'break_it',
    parameters: { type: 'object' },
    execute: () => {
      throw new Error('it is broken already');
    },
  });
  const results = await designer([provider(fail)]).preview(declared('break_it'), { numRecords: 3 });
  expect(results.count).toBe(3);
  expect((await shown(results.records()))[0]?.content).toBe("Error: Tool 'break_it' failed: it is broken already");
  expect(results.tools['break_it']?.errors).toBe(results.tools['break_it']?.calls);
});

test('a stopped run aborts its running functions', async () => {
  const stop = new AbortController();
  let aborted: unknown;
  const tool = defineTool({
    name: 'wait_for_it',
    parameters: { type: 'object' },
    execute: (_args, { signal }) => {
      signal.addEventListener('abort', () => (aborted = signal.reason));
      stop.abort(new Error('enough'));
      return new Promise(() => {});
    },
  });
  await using making = designer([provider(tool)]);
  const made = making.create(declared('wait_for_it'), { numRecords: 1, signal: stop.signal });
  await expect(made).rejects.toMatchObject({ code: 'run/aborted' });
  expect(aborted).toBeInstanceOf(Error);
});

test('a tool schema that does not compile checks nothing and is reported once', { tags: 'long' }, async () => {
  const elsewhere = { type: 'object', properties: { a: { $ref: 'https://elsewhere.example/schema.json' } } };
  const tool = defineTool({ name: 'take_it', parameters: elsewhere, execute: () => 'taken' });
  await using making = designer([provider(tool)]);
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent) => void events.push(event);
  const results = await making.preview(declared('take_it'), { numRecords: 8, onEvent });
  expect((await shown(results.records())).every(({ content }) => content === 'taken')).toBe(true);
  const told = events.filter(({ type }) => type === 'tool-schema-fail');
  expect(told).toEqual([{ type: 'tool-schema-fail', provider: 'mine', tool: 'take_it' }]);
});

test('a tool name that a model API refuses is sent under another name', { tags: 'long' }, async () => {
  const tool = defineTool({ name: 'math.double it', parameters: { type: 'object' }, execute: () => 'doubled' });
  await using making = designer([provider(tool)]);
  const results = await making.preview(declared('math_double_it'), { numRecords: 2 });
  expect((await shown(results.records()))[0]?.content).toBe('doubled');
  expect(Object.keys(results.tools)).toEqual(['math.double it']);
});

test('an uncallable or unknown function is reported before the run', async () => {
  const odd = { name: 'odd', parameters: 7, execute: () => '' } as never;
  await expect(designer([provider(odd)]).preview(declared('odd'))).rejects.toMatchObject({ code: 'tool/invalid' });
  await expect(designer([]).preview(declared('odd'))).rejects.toMatchObject({ code: 'config/invalid' });
});

const MODULE = fileURLToPath(new URL('../packages/mcp/test/module-tools.ts', import.meta.url));

test('the tools of a module run in their own thread, and their logs are events', { tags: 'long' }, async () => {
  await using making = designer([{ name: 'mine', providerType: 'local', module: MODULE }]);
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent) => void events.push(event);
  const results = await making.create(declared('say'), { numRecords: 4, onEvent });
  expect(results.count).toBe(4);
  expect(events).toContainEqual({ type: 'tool-log', provider: 'mine', tool: 'say', message: 'said by a tool' });
  const checks = await making.checkModels(declared('say'));
  const ok = { alias: 'kit', status: 'ok', code: null, message: null } as const;
  expect(checks).toContainEqual({ ...ok, kind: 'tools', tools: expect.arrayContaining(['say']) });
});

test('--functions adds function tools, and a config cannot name any', { tags: 'long' }, async () => {
  const config = join(artifactPath, 'config.yaml');
  writeFileSync(
    config,
    `model_configs: [{alias: writer, model: sim-small, provider: simulator}]
tool_configs: [{tool_alias: kit, providers: [functions], allow_tools: [count], max_result_chars: 100}]
columns:
  - {name: id, column_type: sampler, sampler_type: uuid, params: {}}
  - {name: answer, column_type: llm-text, model_alias: writer, tool_alias: kit, prompt: "Of {{ id }}. Use the tool count."}
`,
  );
  const without = await runCommand(['validate', config]);
  expect(without.code).toBe(1);
  expect(without.stdout).toContain("'functions'");
  const validated = await runCommand(['validate', config, '--functions', MODULE]);
  expect(validated.stdout).toContain('is valid');
  const made = await dataDesigner(['create', config, '-n', '3', '-o', artifactPath, '--json', '--functions', MODULE]);
  expect(made.code).toBe(0);
  const { records, tools } = JSON.parse(made.stdout) as { records: number; tools: Record<string, object> };
  expect(records).toBe(3);
  expect(tools['count']).toMatchObject({ errors: 0, latencyMs: { max: expect.any(Number) } });
  const lost = await runCommand(['preview', config, '--functions', 'no-such-file.ts']);
  expect(lost.stderr).toContain('Error [tool/unavailable]');
});

test(
  'a run that was stopped among failing tools, and resumed, names each failure, flaw and lost row once',
  { tags: 'long' },
  async () => {
    const stop = new AbortController();
    let calls = 0;
    let isStopping = false;
    const failing = defineTool({
      name: 'break_it',
      description: 'Fails.',
      parameters: z.object({}),
      execute: () => {
        calls++;
        if (calls === 9 && isStopping) stop.abort();
        throw new Error('no luck today');
      },
    });
    const config = declared('break_it')
      .addColumn({ name: 'k', columnType: 'sampler', samplerType: 'category', params: { values: [0, 1, 2] } })
      .addColumn({ name: 'part', columnType: 'expression', expr: '{{ 2 // k }}' });
    await using whole = designer([provider(failing)]);
    const undisturbed = await whole.create(config, { numRecords: ROWS, datasetName: 'whole' });
    const { findings } = undisturbed;
    expect(findings).toMatchObject({
      lost: [{ column: 'part' }],
      toolFailures: [{ provider: 'mine', tool: 'break_it', reason: 'no luck today' }],
      flaws: [{ column: 'answer' }],
    });
    calls = 0;
    isStopping = true;
    await using stopped = designer([provider(failing)]);
    const options = { numRecords: ROWS, datasetName: 'stopped' };
    const aborted = stopped.create(config, { ...options, signal: stop.signal });
    await expect(aborted).rejects.toMatchObject({ code: 'run/aborted' });
    const resumed = await stopped.create(config, { ...options, resume: 'always' });
    expect(resumed.findings).toEqual(findings);
    const again = await stopped.create(config, { ...options, resume: 'always' });
    expect([again.findings, again.count]).toEqual([findings, undisturbed.count]);
    const { loadDataset } = await import('data-designer');
    expect((await loadDataset(join(artifactPath, 'stopped'))).findings).toEqual(findings);
  },
);
