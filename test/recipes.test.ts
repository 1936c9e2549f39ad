import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { DataDesigner, DataDesignerConfigBuilder, type DatasetCreationResults, type Declared } from 'data-designer';
import { loadProviders } from '@data-designer/config';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';

const RECIPES = globSync('configs/recipes/*.yaml').map((path) => /([\w-]+)\.yaml$/.exec(path)![1]!);
/** Of the many recipes, those that `npm test` runs: plain columns, a tool, attempts with an environment. */
const SHORT = ['basics', 'tools'];
const ROWS = 3;

const root = process.cwd();
let artifactPath: string;
let simulator: RunningSimulator;
let designer: DataDesigner;
let reader: DuckDBConnection;

beforeAll(async () => {
  // The paths of a recipe start from the folder in which its user runs it.
  process.chdir('configs/recipes');
  artifactPath = mkdtempSync(join(tmpdir(), 'recipes-'));
  simulator = await startSimulator();
  reader = await (await DuckDBInstance.create()).connect();
  const servers = globSync('*/providers.yaml').flatMap((file) => loadProviders(file).tools);
  designer = new DataDesigner({
    artifactPath,
    providers: {
      models: [{ name: 'simulator', endpoint: simulator.url }],
      tools: servers.map(withThisNode),
    },
    mediaRoots: ['image-context'],
    // The simulator writes no SQL, so that every world of world-builder fails to open.
    runConfig: { seed: 3, disableEarlyShutdown: true },
  });
});

afterAll(async () => {
  reader.disconnectSync();
  await designer[Symbol.asyncDispose]();
  await simulator[Symbol.asyncDispose]();
  process.chdir(root);
  rmSync(artifactPath, { recursive: true });
});

/** A server that is started with the Node of the tests: a file, or the program of an installed package. */
function withThisNode(server: Tool): Tool {
  if (!('command' in server)) return server;
  const [program = '', ...args] = server.args ?? [];
  const file = server.command === 'npx' ? realpathSync(join(root, 'node_modules/.bin', program)) : program;
  return { ...server, command: process.execPath, args: [file, ...args] };
}

type Tool = ReturnType<typeof loadProviders>['tools'][number];

const TYPES: Readonly<Record<string, RegExp>> = {
  'llm-text': /^VARCHAR$/,
  'llm-code': /^VARCHAR$/,
  'llm-judge': /^STRUCT\(/,
  conversation: /^STRUCT\("role" VARCHAR, .*\)\[\]$/,
  'tool-calls': /^STRUCT\("name" VARCHAR, .*\)\[\]$/,
  embedding: /^STRUCT\(embeddings DOUBLE\[\]\[\]/,
  image: /^VARCHAR\[\]$/,
  validation: /^STRUCT\((?:\S+ STRUCT\()?is_valid BOOLEAN/,
  person_from_faker: /^STRUCT\(/,
  bernoulli: /^BIGINT$/,
  poisson: /^BIGINT$/,
  int: /^BIGINT$/,
  number: /^BIGINT$/,
  bernoulli_mixture: /^DOUBLE$/,
  gaussian: /^DOUBLE$/,
  scipy: /^DOUBLE$/,
  uniform: /^DOUBLE$/,
  float: /^DOUBLE$/,
  bool: /^BOOLEAN$/,
  object: /^STRUCT\(.*\)$/,
  array: /^STRUCT\(.*\)\[\]$/,
};

/** The type that DuckDB reports for a column, by its declaration. */
function expectedType({ column_type: type, sampler_type: sampler, ...more }: WrittenColumn): RegExp {
  const decides =
    more.output_format?.type ??
    more.dtype ??
    more.convert_to ??
    (sampler === 'category' ? typeof more.params?.values?.[0] : (sampler ?? type));
  return TYPES[decides] ?? /^VARCHAR$/;
}

interface WrittenColumn {
  readonly name: string;
  readonly column_type: string;
  readonly drop: boolean;
  readonly sampler_type?: string;
  readonly params?: { readonly values?: readonly unknown[] };
  readonly convert_to?: string | null;
  readonly dtype?: 'str' | 'int' | 'float' | 'bool';
  readonly output_format?: { readonly type: string };
}

/** The names and types of the written columns, as another reader sees them. */
async function writtenTypes(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = join(folder, 'parquet-files', '*.parquet');
  const described = await reader.runAndReadAll(`DESCRIBE SELECT * FROM '${files}'`);
  return new Map(described.getRowObjects().map((one) => [String(one['column_name']), String(one['column_type'])]));
}

/** What stands before the first statement or key, without the marks of a comment. */
function header(file: string): string {
  const [head = ''] = readFileSync(file, 'utf8').split(/^(?:import|#\n# yaml-language-server)/m);
  return head
    .replaceAll(/^(?:#|\/\/) ?/gm, '')
    .replaceAll(/\.(?:ts|yaml)\b/g, '')
    .trimEnd();
}

/** A checked config as a file writes it. */
interface WrittenConfig {
  readonly columns: readonly WrittenColumn[];
  readonly processors: readonly WrittenProcessor[] | null;
  readonly attempts?: readonly { readonly name: string; readonly on_exhausted: string }[] | null;
  readonly tool_configs: readonly { readonly allow_tools: readonly string[] }[] | null;
  readonly environments?: readonly object[];
}

interface WrittenProcessor {
  readonly name: string;
  readonly processor_type: string;
  readonly column_names?: readonly string[];
}

async function checkColumns(results: DatasetCreationResults, { columns, processors }: WrittenConfig): Promise<void> {
  const types = await writtenTypes(results.path);
  const dropped = (processors ?? []).flatMap(({ column_names: names = [] }) => names);
  for (const column of columns.filter(({ name, drop }) => !drop && !dropped.includes(name))) {
    const [name, type] = [column.name, types.get(column.name)];
    expect({ name, type }).toEqual({ name, type: expect.stringMatching(expectedType(column)) });
  }
  expect(dropped.filter((name) => types.has(name))).toEqual([]);
  const records = (await Array.fromAsync(results.records())) as readonly Record<string, readonly string[]>[];
  const images = columns.filter((column) => column.column_type === 'image').map(({ name }) => name);
  const paths = records.flatMap((record) => images.flatMap((name) => record[name] ?? []));
  expect(paths.filter((path) => existsSync(join(results.path, path)))).toHaveLength(images.length * ROWS);
}

async function checkSideTables(results: DatasetCreationResults, { processors }: WrittenConfig): Promise<void> {
  for (const { name } of (processors ?? []).filter((one) => one.processor_type === 'schema_transform')) {
    const rows = await Array.fromAsync(results.loadProcessorDataset(name));
    expect({ name, rows: rows.length }).toEqual({ name, rows: ROWS });
    expect(JSON.stringify(rows)).not.toMatch(/""|\{\{/);
  }
}

test.each(RECIPES)('%s is one config in both languages', { tags: 'long' }, async (name) => {
  const yaml = await DataDesignerConfigBuilder.fromConfig(`${name}.yaml`);
  const { default: code } = (await import(`../configs/recipes/${name}.ts`)) as { readonly default: Declared };
  const report = await designer.check(yaml);
  expect(report).toMatchObject({ runnable: true, violations: [] });
  expect(await designer.check(code)).toEqual(report);
  expect(header(`${name}.ts`)).toBe(header(`${name}.yaml`));
});

for (const name of RECIPES)
  test(`${name} makes the columns that it declares`, { tags: SHORT.includes(name) ? [] : 'long' }, async () => {
    // Both languages are one config: one run is enough, of each language in turns.
    const config =
      RECIPES.indexOf(name) % 2 === 0
        ? await DataDesignerConfigBuilder.fromConfig(`${name}.yaml`)
        : ((await import(`../configs/recipes/${name}.ts`)) as { readonly default: Declared }).default;
    const report = await designer.check(config);
    const results = await designer.create(config, { numRecords: ROWS, datasetName: name });
    expect(results.count).toBe(ROWS);
    const written = report.normalized?.data_designer as unknown as WrittenConfig;
    // The simulator calculates nothing, so a block of attempts may accept none.
    const failures = await Array.fromAsync(results.failures());
    const kept = (written.attempts ?? [])
      .filter((block) => block.on_exhausted === 'keep_last')
      .map((block) => block.name);
    expect(failures.filter((one) => one.code !== 'attempts/exhausted' || !kept.includes(one.column))).toEqual([]);
    await checkColumns(results, written);
    await checkSideTables(results, written);
    // The simulator calls the tools of a world with any arguments, and invents no world; scripted models do below.
    if (written.environments) return;
    const calls = Object.values(results.tools).map((tool) => tool.calls);
    expect(calls.length > 0).toBe((written.tool_configs ?? []).length > 0);
    expect(Object.values(results.tools).map(({ errors }) => errors)).toEqual(calls.map(() => 0));
  });

/** The cells of a row that the tests of attempts read. */
interface RecipeRow {
  readonly is_verified: boolean;
  readonly expected: number;
  readonly answer: unknown;
  readonly event: object;
  readonly chosen: string;
  readonly rejected: string;
  readonly solve__attempts: number;
  readonly extract__attempts: number;
  readonly drafts__score: number;
  readonly serving__attempts: number;
  readonly solving__attempts: number;
  readonly verdict: { readonly is_valid: boolean };
  readonly truth__state: object;
  readonly chat__state: object;
  readonly work__state: object;
  readonly begins__state: object | null;
  readonly world: { readonly tools: readonly { readonly parameters: object }[] };
  readonly check: { readonly is_valid: boolean } | null;
  readonly query: string;
  readonly runs: Readonly<Record<string, { readonly is_valid: boolean; readonly result: string | null }>>;
  readonly agreement: { readonly is_valid: boolean } | null;
  readonly run: { readonly is_valid: boolean };
  readonly usable: boolean;
  readonly is_shown: boolean;
  readonly program: string;
  readonly checked: { readonly is_valid: boolean };
  readonly provider: string;
  readonly names: string;
  readonly calls: string;
  readonly used: number;
  readonly answer__state: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** A request to a scripted model. */
interface Asked {
  readonly model: string;
  /** All messages. */
  readonly prompt: string;
  /** A number from 0 to 1 that follows from the seed of the request. */
  readonly draw: number;
  readonly isShaped: boolean;
  /** The number of results of tools among the messages. */
  readonly results: number;
  /** The names of the tools that it may call. */
  readonly tools: readonly string[];
}

/** A model's message that calls a tool. */
function calling(name: string, args: object): object {
  return { tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(args) } }] };
}

type Script = (asked: Asked) => unknown;

/** A model server that is right, or good, by the seed of a request. */
async function withScript(
  name: string,
  answer: Script,
  { rows = 200, tools: servers = [] }: { readonly rows?: number; readonly tools?: readonly Tool[] } = {},
) {
  using server = await openAnsweringServer((text, response) => {
    const {
      seed,
      messages = [],
      model,
      tools = [],
      ...more
    } = JSON.parse(text) as {
      readonly seed?: number;
      readonly model: string;
      readonly messages?: readonly { readonly role: string; readonly content: string }[];
      readonly tools?: readonly { readonly function: { readonly name: string } }[];
      readonly response_format?: unknown;
    };
    const draw = createHash('sha256').update(`${seed}`).digest().readUInt32BE(0) / 2 ** 32;
    const prompt = messages.map(({ content }) => content).join('\n');
    const results = messages.filter(({ role }) => role === 'tool').length;
    const names = tools.map((tool) => tool.function.name);
    const value = answer({ prompt, draw, isShaped: 'response_format' in more, model, results, tools: names });
    if (typeof value === 'object' && value !== null && 'tool_calls' in value) {
      const choice = { message: { role: 'assistant', content: null, ...value }, finish_reason: 'tool_calls' };
      return reply(response, { ...completion(''), choices: [choice] });
    }
    return reply(response, completion(typeof value === 'string' ? value : JSON.stringify(value)));
  });
  await using scripted = new DataDesigner({
    artifactPath,
    providers: {
      models: [{ name: 'simulator', endpoint: `${server.origin}/v1`, apiKey: 'key' }],
      tools: servers.map(withThisNode),
    },
    runConfig: { seed: 5 },
  });
  const config = await DataDesignerConfigBuilder.fromConfig(`${name}.yaml`);
  const results = await scripted.create(config, { numRecords: rows, datasetName: `${name}-scripted` });
  return { results, rows: (await Array.fromAsync(results.records())) as unknown as readonly RecipeRow[] };
}

test('verified-math solves as many problems as eight attempts should, and says which', { tags: 'long' }, async () => {
  const { rows, results } = await withScript('verified-math', ({ prompt, draw }) => {
    const given = /result: (-?\d+)/.exec(prompt)?.[1];
    if (given !== undefined) return { result: Number(given) };
    const [trains = 0, seats = 0, free = 0] = (prompt.match(/\d+/g) ?? []).map(Number);
    return `result: ${trains * (seats - free) + (draw < 0.4 ? 0 : 1)}`;
  });
  expect(rows).toHaveLength(200);
  const verified = rows.filter(({ is_verified: is }) => is);
  // 1 - 0.6 ^ 8 of the rows, within four standard deviations.
  expect(verified.length).toBeGreaterThan(200 * 0.983 - 8);
  expect(results.attempts['solve']).toMatchObject({ accepted: verified.length, max: 8 });
  for (const { answer, expected } of verified) expect(answer).toEqual({ result: expected });
  for (const row of rows.filter(({ is_verified: is }) => !is)) expect(row.solve__attempts).toBe(8);
});

const fenced = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

test('text-to-sql executes both queries, and says whether they give the same rows', { tags: 'long' }, async () => {
  let asked = 0;
  const { rows } = await withScript('text-to-sql', ({ prompt }) => {
    if (prompt.includes('CREATE TABLE statements')) {
      return fenced('sql', 'CREATE TABLE loans (n INTEGER); INSERT INTO loans VALUES (1), (2);');
    }
    if (prompt.startsWith('Ask, as')) return 'How many loans are there together?';
    if (prompt.includes('most direct way')) return fenced('sql', 'SELECT sum(n) AS total FROM loans');
    if (prompt.includes('Write one SELECT')) {
      const queries = ['SELECT sum(n) FROM loans', 'SELECT max(n) FROM loans', 'SELECT sum(n) FROM none'];
      return fenced('sql', queries[asked++ % queries.length] ?? '');
    }
    return { Answer: { score: 2, reasoning: 'so' } };
  });
  expect(rows).toHaveLength(200);
  for (const { query, runs, agreement } of rows) {
    const exists = !query.includes('none');
    expect(runs).toMatchObject({ query: { is_valid: exists }, second_query: { result: '[{"total":3}]' } });
    expect(agreement?.is_valid).toBe(exists ? query.includes('sum') : undefined);
  }
  const agreed = rows.filter(({ agreement }) => agreement?.is_valid);
  expect(agreed).toHaveLength(67);
});

test(
  'text-to-python and code-review run tests, and say which rows they prove',
  { tags: 'long', timeout: 300_000 },
  async () => {
    let asked = 0;
    const right = 'def double(x: int) -> int:\n    """Double it."""\n    return x * 2';
    const wrong = right.replace('x * 2', 'x + 2');
    const assertions = fenced('python', 'assert double(3) == 6\nassert double(0) == 0');
    const { rows: tasks } = await withScript(
      'text-to-python',
      ({ prompt }) => {
        if (prompt.includes('assert statements')) return assertions;
        if (prompt.includes('Solve this task')) return fenced('python', asked++ % 2 === 0 ? right : wrong);
        const grade = { score: 2, reasoning: 'so' };
        return prompt.includes('Review this solution') ? { Correctness: grade, Clarity: grade } : 'Double a number.';
      },
      { rows: 8 },
    );
    expect(tasks.map(({ usable }) => usable)).toEqual(tasks.map(({ run }) => run.is_valid));
    expect(new Set(tasks.map(({ run }) => run.is_valid))).toEqual(new Set([true, false]));
    const { rows: reviews } = await withScript(
      'code-review',
      ({ prompt }) => {
        if (prompt.includes('assert statements')) return assertions;
        if (prompt.includes('It contains this mistake')) return fenced('python', wrong);
        if (prompt.includes('Apply this comment')) return fenced('python', asked++ % 2 === 0 ? right : wrong);
        return { line: 3, problem: 'It adds.', suggestion: 'Multiply.', blocking: true };
      },
      { rows: 8 },
    );
    expect(reviews.map((row) => row.is_shown)).toEqual(reviews.map(({ runs }) => runs['corrected']?.is_valid));
    expect(new Set(reviews.map((row) => row.is_shown))).toEqual(new Set([true, false]));
  },
);

test('verified-code solves as many tasks as four attempts should, and says which', { tags: 'long' }, async () => {
  const { rows, results } = await withScript('verified-code', ({ prompt, draw }) => {
    if (prompt.includes('Write a programming task')) return 'Write solve(x), which doubles a number.';
    if (prompt.includes('Write six statements')) {
      return fenced('javascript', "if (JSON.stringify(solve(3)) !== '6') throw new Error('expected 6');");
    }
    return fenced('javascript', `function solve(x) { return x ${draw < 0.5 ? '*' : '+'} 2; }`);
  });
  expect(rows).toHaveLength(200);
  const verified = rows.filter(({ checked }) => checked.is_valid);
  // 1 - 0.5 ^ 4 of the rows, within four standard deviations.
  expect(Math.abs(verified.length - 200 * 0.9375)).toBeLessThan(14);
  expect(results.attempts['solve']).toMatchObject({ accepted: verified.length, max: 4 });
  for (const { program } of verified) expect(program).toContain('x * 2');
  for (const row of rows.filter(({ checked }) => !checked.is_valid)) expect(row.solve__attempts).toBe(4);
});

test('structured-with-retries leaves no record that breaks the rule', async () => {
  const { rows } = await withScript('structured-with-retries', ({ prompt, draw }) => {
    if (!prompt.includes('Extract')) return 'A lecture.';
    return { place: 'here', begins: 10, ends: draw < 0.8 ? 12 : 9 };
  });
  expect(rows).toHaveLength(200);
  expect(new Set(rows.map(({ event }) => JSON.stringify(event)))).toEqual(
    new Set(['{"place":"here","begins":10,"ends":12}']),
  );
  const retried = rows.filter((row) => row.extract__attempts > 1).length;
  expect(retried).toBeGreaterThan(200 * 0.2 - 23);
  expect(retried).toBeLessThan(200 * 0.2 + 23);
});

/** Answers with a grade in them, which the critic reads. */
const graded = ({ prompt, draw }: { readonly prompt: string; readonly draw: number }) => {
  const grade = /graded (\d)(?!.*graded \d)/s.exec(prompt)?.[1];
  const quality = { score: Number(grade), reasoning: 'as it says' };
  return prompt.includes('Grade the answer') ? { Quality: quality } : `graded ${1 + Math.floor(draw * 5)} (${draw})`;
};

const gradeOf = (text: string) => Number(/graded (\d)/.exec(text)?.[1]);

test('best-of-n and preference-pairs keep the grades that they say', { tags: 'long' }, async () => {
  const { rows: best } = await withScript('best-of-n', graded, { rows: 100 });
  expect(best).toHaveLength(100);
  const counts = [1, 2, 3, 4, 5].map((grade) => best.filter((row) => row.drafts__score === grade).length);
  // The highest of four draws is a 5 in 59 % of the rows, within four standard deviations.
  expect(Math.abs(counts[4]! - 59)).toBeLessThan(20);
  for (const { answer, drafts__score: score } of best) expect(answer).toMatch(new RegExp(`^graded ${score} `));
  const { rows: pairs, results } = await withScript('preference-pairs', graded, { rows: 100 });
  // All four drafts have the same grade in 0.8 % of the rows.
  expect(pairs.length).toBeGreaterThan(95);
  for (const { chosen, rejected } of pairs) expect(gradeOf(chosen)).toBeGreaterThan(gradeOf(rejected));
  const written = await Array.fromAsync(results.loadProcessorDataset('pairs'));
  expect(written.map((pair) => pair['chosen'])).toEqual(pairs.map(({ chosen }) => chosen));
});

test('bank-agent keeps conversations whose world ends as planned', { tags: 'long' }, async () => {
  const { rows, results } = await withScript(
    'bank-agent',
    ({ model, prompt, draw, results: done, isShaped }) => {
      const amount = 10 + (Number(/"balance": (\d+)/.exec(prompt)?.[1] ?? /move (\d+)/.exec(prompt)?.[1] ?? 0) % 30);
      if (isShaped || prompt.includes('Invent a request')) {
        const planned = [{ name: 'transfer', arguments: { from: 'A1', to: 'B2', amount } }];
        return { request: `Please move ${amount} from A1 to B2.`, calls: planned };
      }
      if (model === 'sim-large') return '[DONE]';
      if (done > 0) return 'It is done.';
      const wanted = Number(/move (\d+)/.exec(prompt)?.[1]);
      return calling('transfer', { from: 'A1', to: 'B2', amount: draw < 0.4 ? wanted : wanted + 1 });
    },
    { rows: 60 },
  );
  expect(rows).toHaveLength(60);
  const { accepted = 0, rows: candidates = 0, max } = results.attempts['serving'] ?? {};
  expect({ isEnough: accepted >= 60, max }).toEqual({ isEnough: true, max: 8 });
  // 1 - 0.6 ^ 8 of the candidates, within four standard deviations.
  expect(accepted).toBeGreaterThan(candidates * 0.983 - 5);
  for (const { verdict } of rows) expect(verdict.is_valid).toBe(true);
  for (const { chat__state, truth__state } of rows) expect(chat__state).toEqual(truth__state);
});

test('bank-agent makes verified conversations with the simulator too', { tags: 'long' }, async () => {
  const config = await DataDesignerConfigBuilder.fromConfig('bank-agent.yaml');
  const results = await designer.create(config, { numRecords: 10, datasetName: 'bank-agent-simulated' });
  const rows = (await Array.fromAsync(results.records())) as unknown as readonly RecipeRow[];
  expect(rows).toHaveLength(10);
  const nothing = { account: expect.anything(), transfer: [] };
  for (const { verdict, chat__state: state } of rows) {
    expect(verdict.is_valid).toBe(true);
    expect(state).not.toEqual(nothing);
  }
});

/** Plays the planner and the agent of files-agent: three of five attempts are right. */
const atDesk: Script = ({ model, prompt, draw, results: done }) => {
  if (model === 'sim-large') {
    const before = { 'todo.txt': 'buy paint', 'notes.txt': 'it rains' };
    return { before, request: 'Add: call Mia.', after: { ...before, 'todo.txt': 'buy paint\ncall Mia' } };
  }
  if (done > 1) return 'It is done.';
  if (done === 0) return calling('read_text_file', { path: 'todo.txt' });
  const [read = ''] = /^.*buy.*$/m.exec(prompt) ?? [];
  return calling('write_file', { path: 'todo.txt', content: `${read}\n${draw < 0.6 ? 'call Mia' : 'call'}` });
};

test('files-agent keeps work that leaves the planned files', { tags: 'long' }, async () => {
  const rows = 6;
  const made = await withScript('files-agent', atDesk, {
    rows,
    tools: loadProviders('files-agent/providers.yaml').tools,
  });
  expect(made.rows).toHaveLength(rows);
  const valid = made.rows.filter(({ verdict }) => verdict.is_valid);
  expect(valid.length).toBeGreaterThan(rows - 2);
  expect(made.results.attempts['working']).toMatchObject({ accepted: valid.length, max: 4 });
  for (const { work__state: state } of valid) {
    expect(state).toEqual({ 'notes.txt': 'it rains', 'todo.txt': 'buy paint\ncall Mia' });
  }
});

test(
  'world-builder makes worlds whose check does not hold before, and keeps work after which it does',
  { tags: 'long' },
  async () => {
    const { rows, results } = await withScript(
      'world-builder',
      ({ prompt, draw, results: done }) => {
        if (prompt.includes('Invent a small world')) {
          return {
            tables: draw < 0.7 ? 'CREATE TABLE book (id INTEGER PRIMARY KEY, lent INTEGER)' : 'CREATE TABEL book',
            rows: 'INSERT INTO book VALUES (1, 0), (2, 0)',
            tools: [
              {
                name: 'lend',
                description: 'Lends a book.',
                parameters: { type: 'object', properties: { id: { type: 'integer' } } },
                sql: 'UPDATE book SET lent = 1 WHERE id = :id RETURNING *',
              },
            ],
            task: 'Lend me book 2.',
            check: 'SELECT lent FROM book WHERE id = 2',
          };
        }
        return done > 0 ? 'Lent.' : calling('lend', { id: draw < 0.5 ? 2 : 1 });
      },
      { rows: 100 },
    );
    expect(rows).toHaveLength(100);
    const valid = rows.filter(({ verdict }) => verdict?.is_valid);
    expect(valid.length).toBeGreaterThan(95);
    expect(results.attempts['solving']).toMatchObject({ accepted: valid.length });
    for (const { begins__state, work__state, world } of valid) {
      expect(world.tools[0]?.parameters).toEqual({ type: 'object', properties: { id: { type: 'integer' } } });
      expect(begins__state).toEqual({
        book: [
          { id: 1, lent: 0 },
          { id: 2, lent: 0 },
        ],
      });
      expect(work__state).toEqual({
        book: [
          { id: 1, lent: 0 },
          { id: 2, lent: 1 },
        ],
      });
    }
  },
);

test(
  'simulated-tools keeps trajectories over invented tools, whose calls and results are faultless',
  { tags: 'long' },
  async () => {
    const flight = {
      name: 'book_flight',
      description: 'Books.',
      parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
      output_schema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    };
    const { rows, results } = await withScript('simulated-tools', ({ prompt, draw, results: done }) => {
      if (prompt.startsWith('You play the tools')) {
        const booked = (JSON.parse(/The state:\n(.*)/.exec(prompt)![1]!) as { booked: string[] }).booked;
        return { result: { id: booked.length + 1 }, state: { booked: [...booked, 'Rome'] } };
      }
      // Two tools of one name cannot be used.
      if (prompt.startsWith('Invent the API')) return draw < 0.7 ? [flight] : [flight, flight];
      if (prompt.includes('has an API with these tools'))
        return { state: { booked: [] }, task: 'Book two flights to Rome.' };
      if (done === 2) return 'Booked.';
      return calling(draw < 0.6 ? 'book_flight' : 'book_train', { to: 'Rome' });
    });
    expect(rows).toHaveLength(200);
    const opened = rows.filter(({ begins__state: state }) => state !== null);
    // 1 - 0.3 ^ 4 of the rows, of these 1 - 0.4 ^ 4, within four standard deviations.
    expect(opened.length).toBeGreaterThan(200 * 0.992 - 6);
    const valid = rows.filter(({ check }) => check?.is_valid);
    expect(valid.length).toBeGreaterThan(200 * 0.966 - 11);
    expect(results.attempts['solving']).toMatchObject({ accepted: valid.length, max: 4 });
    for (const { work__state: state } of valid) expect(state).toEqual({ booked: ['Rome', 'Rome'] });
  },
);

/** Arguments with which the tools of the public servers do something, by tool. */
function argumentsOf(tool: string): object {
  const [file, folder] = [{ path: 'todo.txt' }, { path: 'trip' }];
  const known: Readonly<Record<string, object>> = {
    read_text_file: file,
    read_multiple_files: { paths: ['todo.txt'] },
    write_file: { ...file, content: 'written' },
    edit_file: { ...file, edits: [{ oldText: 'paint', newText: 'brushes' }] },
    move_file: { source: 'trip/plan.md', destination: 'plan.md' },
    search_files: { ...folder, pattern: '**' },
    create_entities: { entities: [{ name: 'Ida', entityType: 'person', observations: [] }] },
    create_relations: { relations: [{ from: 'Mia', to: 'Leo', relationType: 'knows' }] },
    add_observations: { observations: [{ entityName: 'Mia', contents: ['sings'] }] },
    delete_entities: { entityNames: ['Leo'] },
    delete_observations: { deletions: [{ entityName: 'Mia', observations: ['lives in Kiel'] }] },
    delete_relations: { relations: [{ from: 'Leo', to: 'Nordlicht', relationType: 'works at' }] },
    read_graph: {},
    search_nodes: { query: 'Mia' },
    open_nodes: { names: ['Mia'] },
    echo: { message: 'hello' },
    'get-annotated-message': { messageType: 'success' },
    'get-resource-links': { count: 1 },
    'get-structured-content': { location: 'Chicago' },
    'get-sum': { a: 1, b: 2 },
  };
  return known[tool] ?? folder;
}

test(
  'mcp-tool-questions offers each row its own tools of public servers, and says which part was used',
  { tags: 'long' },
  async () => {
    const rows = 9;
    const made = await withScript(
      'mcp-tool-questions',
      ({ prompt, tools, results, model }) => {
        if (model === 'sim-small') {
          const [next] = tools.slice(results);
          // One of three tools is left out.
          return next === undefined || results === 2 ? 'Done.' : calling(next, argumentsOf(next));
        }
        if (prompt.includes('Write one request')) return 'Please do it.';
        const [three, four] = [
          { score: 3, reasoning: 'so' },
          { score: 4, reasoning: 'so' },
        ];
        return prompt.includes('The answer:')
          ? { Completeness: three, Conciseness: three }
          : { Realism: four, ToolSelection: three, Solvable: three };
      },
      { rows, tools: loadProviders('mcp-tool-questions/providers.yaml').tools },
    );
    expect(made.rows).toHaveLength(rows);
    const listed = JSON.parse(readFileSync('mcp-tool-questions/tools.json', 'utf8')) as {
      readonly providers: readonly {
        readonly provider: string;
        readonly tools: readonly { readonly name: string }[];
      }[];
    };
    for (const { provider, names, calls, used, check } of made.rows) {
      const own = listed.providers.find((one) => one.provider === provider)?.tools.map(({ name }) => name);
      const chosen = new Set(JSON.parse(names) as string[]);
      expect(own).toEqual(expect.arrayContaining([...chosen]));
      expect(new Set(calls.match(/[\w-]+/g)).difference(chosen)).toEqual(new Set());
      expect(used).toBeCloseTo(Math.min(2, chosen.size) / chosen.size);
      expect(check?.is_valid).toBe(true);
    }
    expect(new Set(made.rows.map(({ provider }) => provider)).size).toBe(3);
    expect(Object.values(made.results.tools).filter(({ errors }) => errors > 0)).toEqual([]);
    const called = new Set(Object.values(made.results.tools).map(({ provider }) => provider));
    expect(called).toEqual(new Set(['folder_of_row', 'graph_of_row', 'everything']));
    // What a row changes, no other row sees.
    const untouched = made.rows.filter(({ provider }) => provider === 'everything');
    for (const { answer__state: state } of untouched) {
      expect(Object.keys(state['folder_of_row'] ?? {})).toEqual(['todo.txt', 'trip/costs.csv', 'trip/plan.md']);
      expect(state['graph_of_row']?.['graph.jsonl']).toContain('"Leo"');
    }
  },
);
