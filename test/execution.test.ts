import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner } from 'data-designer';
import { afterAll, expect, test } from 'vitest';
import { startDataDesigner } from './command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'execution-'));
afterAll(() => rmSync(folder, { recursive: true }));

function check(name: string, target: string, params: object) {
  const validator = { column_type: 'validation', validator_type: 'execution' };
  return { ...validator, name, target_columns: [target], validator_params: params };
}

function seeded(name: string, rows: readonly object[]) {
  const path = join(folder, `${name}.jsonl`);
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  return { source: { seed_type: 'local', path } };
}

async function made(name: string, rows: readonly object[], columns: readonly object[]) {
  await using designer = new DataDesigner({ artifactPath: folder });
  const document = { columns, seed_config: seeded(name, rows) };
  const results = await designer.create({ document, source: 'test' }, { numRecords: rows.length, datasetName: name });
  expect(await Array.fromAsync(results.failures())).toEqual([]);
  return Array.fromAsync(results.records());
}

test('programs are tested by calls, by lines and by code, each row by its own', async () => {
  const sum = 'function sum(a, b) { return a + b; }';
  const rows = [
    { program: `\`\`\`js\n${sum}\n\`\`\``, tests: [{ args: [0.1, 0.2], returns: 0.3 }] },
    {
      program: sum,
      tests: JSON.stringify([
        { args: [1, 2], returns: 3 },
        { args: [1, 2], returns: 4 },
      ]),
    },
    { program: sum, tests: 'if (sum(1, 1) !== 2) throw new Error("no");' },
    { program: 'console.log(readline() + "!  ");', tests: [{ input: 'hi\n', output: 'hi!\n' }] },
    { program: null, tests: [] },
  ].map((row) => ({
    program: row.program,
    tests: typeof row.tests === 'string' ? row.tests : JSON.stringify(row.tests),
  }));
  const params = { language: 'javascript', call: 'sum', tests: '{{ tests }}' };
  const records = await made('javascript', rows, [check('checked', 'program', params)]);
  expect(records.map(({ checked }) => checked)).toMatchObject([
    { is_valid: true, failure: null, result: '0.30000000000000004', tests: [{ test: 0, passed: true }] },
    {
      is_valid: false,
      failure: 'wrong',
      error: 'it returns 3, and not 4',
      tests: [{ passed: true }, { passed: false, error: 'it returns 3, and not 4' }],
    },
    { is_valid: true, tests: [{ passed: true }] },
    { is_valid: true, tests: [{ passed: true, output: 'hi!  \n' }] },
    { is_valid: null, error: null, tests: [] },
  ]);
}, 60_000);

test.each(['duckdb', 'sqlite'])(
  'queries are compared with queries and with rows in %s',
  async (engine) => {
    const orders = JSON.stringify([
      { item: 'tea', n: 2 },
      { item: 'salt', n: 1 },
    ]);
    const rows = [
      { query: 'SELECT item FROM orders ORDER BY n', gold: 'SELECT item FROM orders' },
      { query: 'SELECT sum(n) AS total FROM orders', gold: '[{"sum": 3}]' },
      { query: 'SELECT n FROM orders', gold: 'SELECT n FROM orders WHERE n > 1' },
      { query: 'SELECT nothing FROM orders', gold: '[]' },
    ].map((row) => ({ ...row, orders }));
    const params = { language: 'sql', engine, tables: { orders: '{{ orders }}' }, expected: '{{ gold }}' };
    const ordered = check('ordered', 'query', { ...params, ordered: true });
    const records = await made(engine, rows, [check('checked', 'query', params), ordered]);
    expect(records.map(({ checked }) => checked)).toMatchObject([
      { is_valid: true },
      { is_valid: true, result: '[{"total":3}]' },
      { is_valid: false, failure: 'wrong', error: 'it gives 2 rows, and not 1 row' },
      { is_valid: false, failure: 'exception' },
    ]);
    expect(records[0]).toMatchObject({ ordered: { is_valid: false, failure: 'wrong' } });
  },
  60_000,
);

test.each([
  [{ language: 'javascript', engine: 'sqlite' }, 'only SQL has a choice of engines'],
  [{ language: 'sql', tests: ['1'] }, 'queries have no tests'],
  [{ language: 'javascript', tests: [{ args: [1], returns: 1 }] }, 'no function is named'],
  [{ language: 'javascript', tests: ['1'], expected: '1' }, 'the tests decide on the program already'],
  [{ language: 'python', tables: { t: '{{ program }}' } }, 'only SQL reads tables'],
])('%j is a mistake before the first row', async (params, message) => {
  await using designer = new DataDesigner({ artifactPath: folder });
  const document = {
    columns: [check('checked', 'program', params)],
    seed_config: seeded('mistaken', [{ program: '1' }]),
  };
  const report = await designer.check({ document, source: 'test' });
  expect(report.violations.map((violation) => violation.message).join()).toContain(message);
});

/** The processes of sandboxes on this machine. */
function sandboxes(): readonly string[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes('sandbox-process'));
}

test('no sandbox is left where the run is killed in the middle of a program', async () => {
  const config = join(folder, 'endless.json');
  const seed_config = seeded(
    'endless',
    Array.from({ length: 50 }, () => ({ program: 'for (;;) {}' })),
  );
  const params = { language: 'javascript', timeout_sec: 2 };
  writeFileSync(config, JSON.stringify({ columns: [check('checked', 'program', params)], seed_config }));
  const before = new Set(sandboxes());
  const { child } = startDataDesigner(['create', config, '-n', '50', '--artifact-path', folder]);
  const own = () => sandboxes().filter((line) => !before.has(line));
  await expect.poll(own, { timeout: 30_000, interval: 100 }).not.toEqual([]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await expect.poll(own, { timeout: 30_000, interval: 200 }).toEqual([]);
}, 90_000);
