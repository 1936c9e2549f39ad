import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterEach, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { EXPORT_FORMATS } from '../packages/dataset/src/formats/formats.ts';

let artifactPath: string;
let simulator: RunningSimulator;

beforeEach(async () => {
  artifactPath = mkdtempSync(join(tmpdir(), 'api-'));
  simulator = await startSimulator('--latency', '40');
});

afterEach(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(artifactPath, { recursive: true });
});

function designer(): DataDesigner {
  const provider = {
    name: 'own',
    endpoint: simulator.url,
    providerType: 'openai',
    apiKey: null,
    extraBody: null,
    extraHeaders: null,
  } as const;
  return new DataDesigner({
    artifactPath,
    providers: { models: [provider], tools: [] },
    runConfig: { seed: 6, bufferSize: 8 },
  });
}

const NUMBERS = Array.from({ length: 300 }, (_, number) => number);

function declared() {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'writer', model: 'sim-small', provider: 'own' })
    .addColumn({ name: 'number', columnType: 'sampler', samplerType: 'category', params: { values: NUMBERS } })
    .addColumn({ name: 'half', columnType: 'expression', dtype: 'float', expr: '{{ number / 2 }}' })
    .addColumn({
      name: 'text',
      columnType: 'llm-text',
      modelAlias: 'writer',
      prompt: 'Say {{ half }}.',
      withTrace: true,
    })
    .addColumn({ name: 'hidden', columnType: 'expression', expr: '{{ text | length }}', drop: true })
    .addColumn({ name: 'length', columnType: 'expression', dtype: 'int', expr: '{{ hidden }}' });
}

test(
  'a preview and a dataset with one seed hold the same typed rows, as records and as Arrow',
  { tags: 'long' },
  async () => {
    const preview = await designer().preview(declared(), { numRecords: 20 });
    const created = await designer().create(declared(), { numRecords: 20 });
    const asArrow = await designer().create(declared(), { numRecords: 20, datasetName: 'arrow', format: 'arrow' });
    const records = await Array.fromAsync(created.records());
    expect(await Array.fromAsync(preview.records())).toEqual(records);
    expect(await Array.fromAsync(asArrow.records())).toEqual(records);
    expectTypeOf(records[0]!.half).toEqualTypeOf<number>();
    expect(Object.keys(records[0]!)).toEqual(['number', 'half', 'text', 'text__trace', 'length']);
    for (const { number, half, text, length, text__trace: trace } of records) {
      expect(half).toBe(number / 2);
      expect(length).toBe(text.length);
      // An integral float reaches the model as the float that it is.
      expect(trace[0]!.content).toBe(`Say ${Number.isInteger(half) ? `${half}.0` : half}.`);
    }
    for (const table of [preview.toArrow(), await created.toArrow(), await asArrow.toArrow()]) {
      expect(table.numRows).toBe(20);
      expect(table.schema.fields.map(({ name, type }) => `${name}: ${String(type).slice(0, 7)}`)).toEqual([
        'number: Int64',
        'half: Float64',
        'text: Utf8',
        'text__trace: List<St',
        'length: Int64',
      ]);
      expect(table.getChild('half')?.toArray()).toEqual(Float64Array.from(records, ({ half }) => half));
    }
    expect(readdirSync(join(asArrow.path, 'parquet-files'))).toEqual([
      'batch_00000.arrow',
      'batch_00001.arrow',
      'batch_00002.arrow',
    ]);
  },
);

test('records are exported as JSON lines and as CSV', { tags: 'long' }, async () => {
  const created = await designer().create(declared(), { numRecords: 5 });
  const records = await Array.fromAsync(created.records());
  await created.export(join(artifactPath, 'out.jsonl'));
  await created.export(join(artifactPath, 'out.csv'));
  const lines = readFileSync(join(artifactPath, 'out.jsonl'), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(records);
  const csv = readFileSync(join(artifactPath, 'out.csv'), 'utf8');
  expect(csv.split('\n')[0]).toBe('number,half,text,text__trace,length');
  await expect(created.export(join(artifactPath, 'out.xlsx'))).rejects.toThrow(
    `does not end in a known format (.${EXPORT_FORMATS.join(', .')}).`,
  );
});

test('an abort stops a run at once, and the resume requests no received answer again', { tags: 'long' }, async () => {
  const stop = new AbortController();
  await simulator.holdAfter(16);
  const running = designer().create(declared(), { numRecords: 40, datasetName: 'stopped', signal: stop.signal });
  while ((await simulator.stats()).answers < 12) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  await expect(running).rejects.toMatchObject({ code: 'run/aborted' });
  await simulator.release();
  const { count } = await designer().create(declared(), { numRecords: 40, datasetName: 'stopped', resume: 'always' });
  expect(count).toBe(40);
  // Only what was under way at the abort, 4 requests, may be asked for again; equal prompts of two rows aside.
  expect((await simulator.stats()).answers).toBeLessThanOrEqual(44);
});

test('an abort before the first request leaves no files', async () => {
  const signal = AbortSignal.abort();
  await expect(designer().preview(declared(), { signal })).rejects.toMatchObject({ code: 'run/aborted' });
  await expect(designer().create(declared(), { signal })).rejects.toMatchObject({ code: 'run/aborted' });
  expect((await simulator.stats()).requests).toBe(0);
  expect(readdirSync(artifactPath)).toEqual([]);
});

test('two concurrent runs of one designer do not interfere', { tags: 'long' }, async () => {
  const one = designer();
  const [small, large] = await Promise.all([
    one.create(declared(), { numRecords: 10, datasetName: 'small' }),
    one.create(declared(), { numRecords: 30, datasetName: 'large' }),
  ]);
  const again = await one.preview(declared(), { numRecords: 10 });
  expect([small.count, large.count, again.count]).toEqual([10, 30, 10]);
  await one[Symbol.asyncDispose]();
});

test('invalid run settings are refused', () => {
  expect(() => designer().setRunConfig({ bufferSize: 0 })).toThrow(
    'bufferSize: the value must be at least 1, but is 0.',
  );
  expect(() => designer().setRunConfig({ buffersize: 5 } as never)).toThrow("Did you mean 'bufferSize'?");
});

test('the trace override keeps the trace of every model column', async () => {
  const plain = new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'writer', model: 'sim-small', provider: 'own' })
    .addColumn({ name: 'text', columnType: 'llm-text', modelAlias: 'writer', prompt: 'Say something.' });
  const results = await designer()
    .setRunConfig({ debugOverrideSaveAllColumnTraces: true })
    .preview(plain, { numRecords: 1 });
  const [record] = (await Array.fromAsync(results.records())) as unknown as { text__trace: unknown[] }[];
  expect(record?.text__trace).toHaveLength(2);
});
