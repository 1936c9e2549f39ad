import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner } from 'data-designer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';

const ROWS = 40;

let folder: string;
let simulator: RunningSimulator;
let designer: DataDesigner;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skip-'));
  simulator = await startSimulator();
  const provider = { name: 'models', endpoint: simulator.url, providerType: 'openai' } as const;
  designer = new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ ...provider, apiKey: null, extraBody: null, extraHeaders: null }], tools: [] },
    runConfig: { seed: 5, bufferSize: 15 },
  });
});

afterAll(async () => {
  await designer[Symbol.asyncDispose]();
  await simulator[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const MODEL = { alias: 'writer', model: 'sim-small', provider: 'models', skip_health_check: true };
const DRAWN = { name: 'n', column_type: 'sampler', sampler_type: 'category', params: { values: [0, 1, 2, 3] } };
const LOW = '{{ n < 2 }}';

function write(name: string, expr: string, more: object = {}) {
  return { name, column_type: 'expression', expr, ...more };
}

function ask(name: string, prompt: string, more: object = {}) {
  return { name, column_type: 'llm-text', model_alias: 'writer', prompt, ...more };
}

async function recordsOf(columns: readonly object[], datasetName: string) {
  const declared = { document: { model_configs: [MODEL], columns: [DRAWN, ...columns] }, source: 'the test' };
  const results = await designer.create(declared, { numRecords: ROWS, datasetName });
  return { results, records: await Array.fromAsync(results.records()) };
}

test('a skipped cell holds its configured value, sends no request and loses no row', async () => {
  const answer = ask('answer', 'Say {{ n }}', { skip: { when: LOW, value: 'n/a' }, with_trace: 'all_messages' });
  const { results, records } = await recordsOf([answer], 'asked');
  const low = records.filter(({ n }) => (n as number) < 2);
  expect(records).toHaveLength(ROWS);
  expect(results.lost).toEqual([]);
  expect(low.length).toBeGreaterThan(5);
  for (const record of low) expect(record).toMatchObject({ answer: 'n/a', answer__trace: null });
  for (const record of records.filter(({ n }) => (n as number) >= 2)) {
    expect(record).toMatchObject({
      answer: expect.stringMatching(/./) as string,
      answer__trace: expect.any(Array) as [],
    });
    expect(record.answer).not.toBe('n/a');
  }
  expect(results.usage.writer?.requests).toBe(ROWS - low.length);
});

test('cells that read a skipped cell or its side effect are skipped too', async () => {
  const { results, records } = await recordsOf(
    [
      ask('answer', 'Say {{ n }}', { skip: { when: LOW }, with_trace: 'last_message' }),
      write('after', '{{ answer }}!', { skip: { when: '{{ n > 9 }}', value: 'left out' } }),
      ask('of_trace', '{{ answer__trace }}'),
      write('last', '{{ after }}'),
      write('always', 'of {{ after }}', { propagate_skip: false }),
      write('of_always', '{{ always }}'),
      write('asking', 'yes', { skip: { when: '{{ after == "left out" and n == 1 }}', value: 'asked' } }),
    ],
    'propagated',
  );
  expect(records).toHaveLength(ROWS);
  const made = records.filter(({ n }) => (n as number) >= 2);
  expect(results.usage.writer?.requests).toBe(2 * made.length);
  for (const record of records) {
    const isLow = (record.n as number) < 2;
    const { answer } = record;
    expect(record).toMatchObject(
      isLow
        ? { answer: null, after: 'left out', of_trace: null, last: null, always: 'of left out' }
        : { after: `${String(answer)}!`, last: `${String(answer)}!`, always: `of ${String(answer)}!` },
    );
    // Neither goes on from a column that was made, nor from one that only a rule asks.
    expect(record.of_always).toBe(record.always);
    expect(record.asking).toBe(record.n === 1 ? 'asked' : 'yes');
  }
});

test(
  'a skip rule with an undefined value skips; one that divides by zero loses the row',
  { tags: 'long' },
  async () => {
    const { results, records } = await recordsOf(
      [
        write('untold', 'yes', { skip: { when: '{{ n.ghost.more }}', value: 0 } }),
        write('spaced', 'yes', { skip: { when: '  {{ n - n }}', value: 'no' } }),
        write('divided', 'yes', { skip: { when: '{{ 1 / n > 2 }}' } }),
      ],
      'answered',
    );
    for (const record of records) expect(record).toMatchObject({ untold: '0', spaced: 'yes', divided: 'yes' });
    const [lost] = results.lost;
    expect(results.lost).toHaveLength(1);
    expect(lost).toMatchObject({ column: 'divided', rows: ROWS - records.length });
    expect(lost?.message).toContain('zero');
    expect(lost?.rows).toBeGreaterThan(0);
    expect(records.map(({ n }) => n)).not.toContain(0);
  },
);

test('a condition that cannot be decided skips its cells, which the run counts and names', async () => {
  const text = write('word', "{{ 'no' if n > 1 else n }}");
  const answer = ask('answer', 'Say {{ n }}', { skip: { when: '{{ word > 0 }}' } });
  const { results, records } = await recordsOf([text, answer], 'undecided');
  const undecided = records.filter(({ word }) => word === 'no');
  expect(undecided.length).toBeGreaterThan(5);
  for (const record of undecided) expect(record).toMatchObject({ answer: null });
  expect(results.lost).toEqual([]);
  expect(results.findings.failedCells).toMatchObject([
    { column: 'answer', code: 'column/undecided-skip', cells: undecided.length },
  ]);
  expect(results.findings.failedCells[0]?.message).toMatch(/'skip.when' cannot be decided: .* The cell was skipped\./);
});

test('a skip value of the wrong type is refused before the run', async () => {
  const quiz = { ...ask('quiz', 'Quiz {{ n }}'), column_type: 'llm-structured', skip: { when: LOW, value: 'n/a' } };
  const output_format = { type: 'object', properties: { x: { type: 'integer' } } };
  const failure = await recordsOf([{ ...quiz, output_format }], 'refused').catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({
    code: 'config/invalid',
    data: { violations: [{ type: 'skip_value_misfit', path: 'columns[1].skip.value' }] },
  });
});
