import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataDesigner } from 'data-designer';
import { expect, test } from 'vitest';
import { testFolder } from '@data-designer/testing/test-folder';
import { startDataDesigner } from './command-line.ts';

const folder = testFolder('execution');

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

test(
  'programs are tested by calls, by lines and by code, each row by its own',
  { tags: 'long', timeout: 60_000 },
  async () => {
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
  },
);

test.each(['duckdb', 'sqlite'])(
  'queries are compared with queries and with rows in %s',
  { tags: 'long', timeout: 60_000 },
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

/** The processes of sandboxes that the bundle of this folder has started. */
function sandboxes(): readonly string[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(join(process.cwd(), 'packages/data-designer/dist/sandbox-process')));
}

// The time limit is far away: only the end of the run can end the sandbox, also where its program looks for nothing.
test.each([
  ['javascript', 'for (;;) {}'],
  ['python', 'sum(iter(int, 1))'],
  ['sql', 'SELECT sum(sin(range)) FROM range(100000000000)'],
])(
  'no sandbox of %s is left where the run is killed in the middle of a program',
  { tags: 'long', timeout: 120_000 },
  async (language, program) => {
    const config = join(folder, `endless-${language}.json`);
    const seed_config = seeded(
      `endless-${language}`,
      Array.from({ length: 10 }, () => ({ program })),
    );
    const params = { language, timeout_sec: 200 };
    writeFileSync(config, JSON.stringify({ columns: [check('checked', 'program', params)], seed_config }));
    const before = new Set(sandboxes());
    const { child } = startDataDesigner(['create', config, '-n', '10', '--artifact-path', folder]);
    const own = () => sandboxes().filter((line) => !before.has(line));
    await expect.poll(own, { timeout: 60_000, interval: 100 }).not.toEqual([]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect.poll(own, { timeout: 30_000, interval: 200 }).toEqual([]);
  },
);

/** A command as users write one: it runs JavaScript and answers with a report. */
const RUNNER = `
const { language, scripts, input, call } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
if (scripts[0] === 'crash') { console.error('it broke'); process.exit(3); }
if (scripts[0] === 'hang') { require('node:child_process').spawn('sleep', ['997']); setInterval(() => {}, 1000); return; }
if (scripts[0] === 'silent') return;
const answer = { output: [language, input, ...Object.keys(process.env)].join(' '), memory_bytes: 2_000_000 };
try {
  answer.value = call ? new Function(scripts.join('\\n') + '; return ' + call.name)()(...call.args) : null;
} catch (failure) { answer.error = String(failure); }
console.log(JSON.stringify(answer));
`;

function withBox() {
  const file = join(folder, 'runner.cjs');
  writeFileSync(file, RUNNER);
  const programs = [{ name: 'box', command: process.execPath, args: [file], env: { OWN: 'x' } }];
  return new DataDesigner({ artifactPath: folder, providers: { programs } });
}

test(
  'programs of other languages run by the command of a provider, which gets its own variables alone',
  { tags: 'long', timeout: 60_000 },
  async () => {
    await using designer = withBox();
    const sum = 'function sum(a, b) { return a + b; }';
    const rows = [sum, 'function sum() { throw new Error("no"); }', 'hang'].map((program) => ({ program }));
    const params = {
      language: 'coffee',
      provider: 'box',
      call: 'sum',
      tests: [{ args: [1, 2], returns: 3 }],
      timeout_sec: 5,
    };
    const document = { columns: [check('checked', 'program', params)], seed_config: seeded('boxed', rows) };
    const results = await designer.create(
      { document, source: 'test' },
      { numRecords: rows.length, datasetName: 'boxed' },
    );
    const records = await Array.fromAsync(results.records());
    expect(records.map(({ checked }) => checked)).toMatchObject([
      { is_valid: true, result: '3', output: expect.stringMatching(/^coffee +OWN\b/), memory_mb: 2 },
      { is_valid: false, failure: 'exception', error: 'Error: no' },
      { is_valid: false, failure: 'timeout', error: 'it ran for longer than 5 s' },
    ]);
    expect(JSON.stringify(records[0])).not.toContain('PATH');
    await expect.poll(() => execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' })).not.toContain('sleep 997');
  },
);

test(
  'a command without a report fails its row, and one that does not exist ends the run',
  { tags: 'long', timeout: 60_000 },
  async () => {
    await using designer = withBox();
    const rows = ['crash', 'silent', '1'].map((program) => ({ program }));
    const create = async (name: string, provider: string, maker: DataDesigner) => {
      const columns = [check('checked', 'program', { language: 'coffee', provider })];
      const document = { columns, seed_config: seeded(name, rows) };
      return maker.create({ document, source: 'test' }, { numRecords: rows.length, datasetName: name });
    };
    const results = await create('broken', 'box', designer);
    expect((await Array.fromAsync(results.failures())).map(({ code, message }) => [code, message])).toEqual([
      ['execution/lost', expect.stringContaining('it ended with code 3: it broke')],
      ['execution/lost', expect.stringContaining('it wrote no report')],
    ]);
    const programs = [{ name: 'none', command: join(folder, 'nothing') }];
    await using other = new DataDesigner({ artifactPath: folder, providers: { programs } });
    await expect(create('unstartable', 'none', other)).rejects.toThrow(/Programs cannot be run with none: .*ENOENT/);
  },
);

test.each([
  [{ language: 'ruby' }, "there is no sandbox for 'ruby'", "with 'provider'"],
  [{ language: 'ruby', provider: 'bok' }, "there is no execution provider 'bok'", "Did you mean 'box'?"],
  [{ language: 'ruby', provider: 'other' }, "there is no execution provider 'other'", 'box'],
  [{ language: 'sql', provider: 'box', engine: 'sqlite' }, 'the provider runs the queries', 'Remove it'],
])('%j is a mistake that names what there is', async (params, message, remedy) => {
  await using designer = withBox();
  const columns = [check('checked', 'program', params)];
  const document = { columns, seed_config: seeded('unknown', [{ program: '1' }]) };
  const { violations } = await designer.check({ document, source: 'test' });
  expect(violations).toMatchObject([
    { message: expect.stringContaining(message), remedy: expect.stringContaining(remedy) },
  ]);
});

test('a selection and attempts decide by what a program did', { tags: 'long', timeout: 120_000 }, async () => {
  await using designer = new DataDesigner({ artifactPath: folder });
  const tests = ['if (f(3) !== 6) throw 1', 'if (f(0) !== 0) throw 1'];
  const document = {
    columns: [
      { name: 'sign', column_type: 'sampler', sampler_type: 'category', params: { values: ['*', '+', '-'] } },
      { name: 'program', column_type: 'expression', expr: 'const f = (x) => x {{ sign }} 2;' },
      check('checked', 'program', { language: 'javascript', tests }),
    ],
    select: { where: 'checked.is_valid and checked.seconds < 60 and checked.tests | length == 2', max_candidates: 200 },
  };
  const results = await designer.create({ document, source: 'test' }, { numRecords: 5, datasetName: 'chosen' });
  const records = await Array.fromAsync(results.records());
  expect(records.map(({ sign }) => sign)).toEqual(['*', '*', '*', '*', '*']);
});
