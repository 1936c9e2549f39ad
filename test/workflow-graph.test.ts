import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DataDesigner,
  DataDesignerConfigBuilder,
  loadDataset,
  loadWorkflow,
  type WorkflowEvent,
  type WorkflowRunOptions,
} from 'data-designer';
import { afterAll, beforeAll, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { runCommand } from './command-line.ts';

let root: string;
let folder: string;
let tests = 0;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'workflow-graph-'));
});

afterAll(() => {
  rmSync(root, { recursive: true });
});

beforeEach(() => {
  folder = join(root, String(tests++));
  mkdirSync(folder);
});

const at = (...names: string[]) => join(folder, ...names);

type Both = { id: string; word: 'moon' | 'salt'; tag: string; shout: string; text: string };
type Cells = Readonly<Record<string, string | number | null>>;

/** A stage of these rows. */
function rowsOf(rows: readonly Cells[]) {
  return {
    source: 'rows',
    document: { columns: [], seedConfig: { source: { seedType: 'df', rows } } },
    passesSeedOn: true,
  };
}

function compose(name = 'graph') {
  return new DataDesigner({ artifactPath: folder, runConfig: { seed: 5 } }).composeWorkflow(name);
}

const words = new DataDesignerConfigBuilder()
  .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
  .addColumn({ name: 'word', columnType: 'sampler', samplerType: 'category', params: { values: ['moon', 'salt'] } });

/** Two branches of the same rows, and a stage that joins them. */
function diamond(tag = 'b') {
  return compose('diamond')
    .addStage('words', words, { rows: 4 })
    .addStage('loud', (from) =>
      from
        .builder()
        .addColumn({ name: 'shout', columnType: 'expression', expr: '{{ word | upper }}' })
        .addProcessor({ name: 'only', processorType: 'drop_columns', columnNames: ['word'] }),
    )
    .addStage(
      'tagged',
      (from) => from.builder().addColumn({ name: 'tag', columnType: 'expression', expr: `{{ word }}-${tag}` }),
      { from: 'words' },
    )
    .addStage(
      'both',
      (from) => from.builder().addColumn({ name: 'text', columnType: 'expression', expr: '{{ shout }} {{ tag }}' }),
      { from: ['tagged', 'loud'], join: { by: 'id' } },
    );
}

/** Collects the events of stages, as text. */
function stageEvents() {
  const events: string[] = [];
  const onEvent = (event: WorkflowEvent): void => {
    if ('index' in event && event.type !== 'stage-end') events.push(`${event.type} ${event.stage}`);
  };
  return { events, onEvent };
}

/** Runs a workflow, and lists what became of its stages. */
async function ran(flow: ReturnType<typeof diamond>, options: WorkflowRunOptions = {}) {
  const { events, onEvent } = stageEvents();
  const results = await flow.run({ resume: 'if_possible', ...options, onEvent });
  return { results, events };
}

test(
  'two branches of a stage are joined by a column, and the types know the columns of both',
  { tags: 'long' },
  async () => {
    const { results } = await ran(diamond());
    const rows = await Array.fromAsync(results.records());
    expectTypeOf(rows[0]!).toEqualTypeOf<Both>();
    expect(rows.map(({ tag, shout, text }) => [tag, shout, text])).toEqual(
      rows.map(({ word }) => [`${word}-b`, word.toUpperCase(), `${word.toUpperCase()} ${word}-b`]),
    );
    expect(rows).toHaveLength(4);
    const metadata = JSON.parse(readFileSync(at('diamond', 'workflow-metadata.json'), 'utf8')) as {
      readonly stages: readonly Record<string, unknown>[];
    };
    expect(metadata.stages.map(({ name, depends_on: before }) => [name, before])).toEqual([
      ['words', []],
      ['loud', ['words']],
      ['tagged', ['words']],
      ['both', ['tagged', 'loud']],
    ]);
  },
);

test(
  'a changed branch is made again with the join, the other is reused, and reused input is not written again',
  { tags: 'long' },
  async () => {
    await ran(diamond());
    const input = at('diamond', 'inputs', 'stage-3-both.parquet');
    const written = statSync(input).mtimeMs;
    const reused = ['words', 'loud', 'tagged', 'both'].map((stage) => `stage-reuse ${stage}`);
    expect((await ran(diamond())).events.toSorted()).toEqual(reused.toSorted());
    expect(statSync(input).mtimeMs).toBe(written);
    const { events } = await ran(diamond('c'));
    expect(events.toSorted()).toEqual(
      [
        ...reused.slice(0, 2),
        'stage-replace tagged',
        'stage-start tagged',
        'stage-replace both',
        'stage-start both',
      ].toSorted(),
    );
  },
);

test('rows of several stages are joined by position, and by several columns', { tags: 'long' }, async () => {
  const flow = compose()
    .addStage(
      'a',
      rowsOf([
        { x: 1, y: 'p', n: 1 },
        { x: 1, y: 'q', n: 2 },
      ]),
      { rows: 2 },
    ) // prettier-ignore
    .addStage('b', rowsOf([{ m: 1 }, { m: 2 }]), { rows: 2, from: [] })
    .addStage(
      'c',
      rowsOf([
        { x: 1, y: 'q', k: 'Q' },
        { x: 1, y: 'p', k: 'P' },
      ]),
      { rows: 2, from: [] },
    ) // prettier-ignore
    .addStage('lines', (from) => from.builder(), { from: ['a', 'b'], join: 'position' })
    .addStage('all', (from) => from.builder(), { from: ['lines', 'c'], join: { by: ['x', 'y'] } });
  const results = await flow.run();
  expect(await Array.fromAsync(results.records())).toEqual([
    { x: 1, y: 'p', n: 1, m: 1, k: 'P' },
    { x: 1, y: 'q', n: 2, m: 2, k: 'Q' },
  ]);
});

test(
  'the first stage of a join may repeat keys; rows without a partner are left out and counted',
  { tags: 'long' },
  async () => {
    const flow = compose()
      .addStage(
        'answers',
        rowsOf([
          { doc: 'a', n: 1 },
          { doc: 'a', n: 2 },
          { doc: 'z', n: 3 },
        ]),
        { rows: 3 },
      ) // prettier-ignore
      .addStage(
        'docs',
        rowsOf([
          { doc: 'a', title: 'A' },
          { doc: 'b', title: 'B' },
          { doc: null, title: '' },
        ]),
        { rows: 3, from: [] },
      ) // prettier-ignore
      .addStage('both', (from) => from.builder(), { from: ['answers', 'docs'], join: { by: 'doc' } });
    const events: WorkflowEvent[] = [];
    const results = await flow.run({ onEvent: (event) => events.push(event) });
    expect(await Array.fromAsync(results.records())).toEqual([
      { doc: 'a', n: 1, title: 'A' },
      { doc: 'a', n: 2, title: 'A' },
    ]);
    const unmatched = [
      { stage: 'answers', rows: 1, of: 3 },
      { stage: 'docs', rows: 2, of: 3 },
    ];
    expect(events.find(({ type }) => type === 'stage-input')).toEqual({
      type: 'stage-input',
      stage: 'both',
      index: 2,
      message: "1 of 3 rows of 'answers' without partner left out, 2 of 3 rows of 'docs' without partner left out",
      details: { unmatched },
    });
  },
);

/** Two branches of rows with an id and a text, one of them in another order. */
function shuffledBranches(joinedBy: 'position' | { readonly by: string }) {
  const rows = ['p', 'q', 'r', 's'].map((text, id) => ({ id, text }));
  const columns = [{ name: 'b', columnType: 'expression', expr: 'b{{ id }}' }];
  return compose()
    .addStage('start', rowsOf(rows), { rows: rows.length })
    .addStage('a', (from) => from.builder().addColumn({ name: 'a', columnType: 'expression', expr: 'a{{ id }}' }))
    .addStage(
      'b',
      { source: 'b', document: { columns, seed_config: { sampling_strategy: 'shuffle' } } },
      { from: 'start' },
    )
    .addStage('both', (from) => from.builder(), { from: ['a', 'b'], join: joinedBy });
}

test('branches share the columns that they have from one stage', { tags: 'long' }, async () => {
  const results = await shuffledBranches({ by: 'id' }).run();
  const expected = ['p', 'q', 'r', 's'].map((text, id) => ({ id, text, a: `a${id}`, b: `b${id}` }));
  expect(await Array.fromAsync(results.records())).toEqual(expected);
  await expect(shuffledBranches('position').run({ resume: 'if_possible' })).rejects.toThrow(
    /stage 'both': join: the column 'id' has different values in rows of 'a' and 'b' that belong together/,
  );
});

test.each([
  ['an unknown stage', { from: 'c' }, "stage 'both': from names no stage 'c'. Use one of: a, b."],
  ['itself', { from: 'both' }, "the stages 'both' → 'both' depend on each other"],
  ['a stage twice', { from: ['a', 'a'], join: 'position' }, "from names the stage 'a' twice"],
  ['no join', { from: ['a', 'b'] }, "stage 'both': it reads several stages and needs join"],
  ['a join of one stage', { from: 'a', join: 'position' }, 'join needs at least two stages in from'],
  [
    'a missing key',
    { from: ['a', 'b'], join: { by: 'idd' } },
    "the stage 'a' has no column 'idd'; its columns: id, name",
  ],
  [
    'keys of two types',
    { from: ['a', 'b'], join: { by: 'id' } },
    "the column 'id' has the type int64 in 'a' and utf8 in 'b'",
  ],
  [
    'a column of both',
    { from: ['a', 'b'], join: 'position' },
    "'a' and 'b' both have a column 'id' of their own; drop it",
  ],
])('before anything is made, a join is refused for %s', async (_, options, message) => {
  const flow = compose()
    .addStage('a', rowsOf([{ id: 1, name: 'x' }]), { rows: 1 })
    .addStage('b', rowsOf([{ id: 'one', name: 'y' }]), { rows: 1, from: [] });
  // A program without types may name any stage.
  const both = (flow as ReturnType<DataDesigner['composeWorkflow']>).addStage(
    'both',
    (from) => from.builder(),
    options as never,
  );
  await expect(both.run()).rejects.toThrow(message);
  expect(existsSync(at('graph'))).toBe(false);
});

test.each([
  [
    'repeated keys',
    [{ id: 1 }, { id: 1 }],
    { join: { by: 'id' } },
    "1 row of 'b' repeats the key of an earlier row, such as id = 1",
  ],
  ['no partner at all', [{ id: 8 }, { id: 9 }], { join: { by: 'id' } }, "no row of 'a' has a partner"],
  [
    'other lengths',
    [{ n: 1 }, { n: 2 }, { n: 3 }],
    { join: 'position' },
    "different numbers of rows, 2 in 'a' and 3 in 'b'",
  ],
] as const)('a join is refused for %s', { tags: 'long' }, async (...[, rows, options, message]) => {
  const flow = compose()
    .addStage('a', rowsOf([{ id: 1 }, { id: 2 }]), { rows: 2 })
    .addStage('b', rowsOf(rows), { rows: rows.length, from: [] })
    .addStage('both', (from) => from.builder(), { ...options, from: ['a', 'b'] });
  await expect(flow.run()).rejects.toThrow(message);
});

test('a stage of a program can name the stages before it only', async () => {
  const flow = compose().addStage('a', words);
  // @ts-expect-error no stage 'b' is declared
  await expect(flow.addStage('c', words, { from: 'b' }).check()).rejects.toThrow("from names no stage 'b'");
});

const table = (name: string) => rowsOf([{ [name]: 1 }]);

test('a stage that is put between others leaves them as they are', { tags: 'long' }, async () => {
  const flow = () => compose().addStage('a', table('a'), { rows: 1 });
  await flow().addStage('z', (from) => from.builder(), { from: 'a' }).run(); // prettier-ignore
  const { events, onEvent } = stageEvents();
  const results = await flow()
    .addStage('b', table('b'), { rows: 1, from: [] })
    .addStage('z', (from) => from.builder(), { from: 'a' })
    .run({ resume: 'always', onEvent });
  expect(events.toSorted()).toEqual(['stage-reuse a', 'stage-reuse z', 'stage-start b']);
  expect(results.getStageOutputPath('z')).toBe(at('graph', 'stage-1-z'));
});

test('a file may declare the stages in any order, with select as a key of a stage', { tags: 'long' }, async () => {
  writeFileSync(
    at('flow.yaml'),
    `name: file
stages:
  - { name: joined, from: [left, right], join: { by: id } }
  - name: left
    from: []
    rows: 3
    config: { columns: [{ name: id, column_type: expression, expr: '{{ 1 }}', dtype: int }, { name: l, column_type: sampler, sampler_type: category, params: { values: [x, y] } }] }
    select: { where: "l == 'x'" }
  - name: right
    from: []
    rows: 1
    config: { columns: [{ name: id, column_type: expression, expr: '{{ 1 }}', dtype: int }, { name: r, column_type: expression, expr: R }] }
`,
  );
  const valid = await runCommand(['validate', at('flow.yaml')]);
  expect(valid.stdout).toContain("Stage 'joined' is valid: l, id, r");
  const made = await runCommand(['create', at('flow.yaml'), '-o', folder, '--seed', '3', '--json']);
  const { stages } = JSON.parse(made.stdout) as { readonly stages: readonly { stage: string; records: number }[] };
  expect(stages.map(({ stage, records }) => [stage, records])).toEqual([
    ['left', 3],
    ['right', 1],
    ['joined', 3],
  ]);
  writeFileSync(at('flow.yaml'), 'stages: [{ name: a, from: c }, { name: b, from: a }, { name: c, from: b }]');
  const cycle = await runCommand(['validate', at('flow.yaml')]);
  expect(cycle.stderr).toContain("the stages 'a' → 'c' → 'b' → 'a' depend on each other");
});

const numbers = rowsOf([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);

/** Rows that the map function of a stage changes to texts, and a stage that reads them. */
function mapped(map: (rows: AsyncIterable<Record<string, unknown>>) => AsyncIterable<{ n: number; parts: string[] }>) {
  return compose()
    .addStage('numbers', numbers, {
      rows: 4,
      map,
      outputFormat: z.object({ n: z.int(), parts: z.array(z.string()) }),
    })
    .addStage(
      'after',
      (from) => from.builder().addColumn({ name: 'text', columnType: 'expression', expr: '{{ n }} {{ parts }}' }),
      { expand: 'parts' },
    );
}

async function* evenParts(rows: AsyncIterable<Record<string, unknown>>) {
  for await (const { n } of rows) if (Number(n) % 2 === 0) yield { n: Number(n), parts: ['a', 'b'] };
}

async function* sameParts(rows: AsyncIterable<Record<string, unknown>>) {
  for await (const row of evenParts(rows)) yield row;
}

async function* otherParts(rows: AsyncIterable<Record<string, unknown>>) {
  for await (const row of evenParts(rows)) yield { ...row, parts: ['c'] };
}

/** The events of a run of mapped rows, and its results. */
async function ranMapped(map = evenParts, options: WorkflowRunOptions = {}) {
  const { events, onEvent } = stageEvents();
  const results = await mapped(map).run({ resume: 'if_possible', ...options, onEvent });
  return { results, events };
}

test(
  'a map changes the rows that later stages and the results have, and leaves its dataset as it is',
  { tags: 'long' },
  async () => {
    const { results } = await ranMapped();
    const rows = await Array.fromAsync(results.records());
    expectTypeOf(rows[0]!).toEqualTypeOf<{ n: number; parts: string; text: string }>();
    expect(rows).toEqual([
      { n: 2, parts: 'a', text: '2 a' },
      { n: 2, parts: 'b', text: '2 b' },
      { n: 4, parts: 'a', text: '4 a' },
      { n: 4, parts: 'b', text: '4 b' },
    ]);
    for (const workflow of [results, await loadWorkflow(at('graph'))]) {
      expect(await Array.fromAsync(workflow.loadStageOutput('numbers'))).toEqual([
        { n: 2, parts: ['a', 'b'] },
        { n: 4, parts: ['a', 'b'] },
      ]);
      expect(workflow.countStageOutputRecords('numbers')).toBe(2);
      expect(workflow.stageResults.get('numbers')?.count).toBe(4);
      await workflow.exportStage('numbers', at('out.jsonl'));
      expect(readFileSync(at('out.jsonl'), 'utf8')).toBe('{"n":2,"parts":["a","b"]}\n{"n":4,"parts":["a","b"]}\n');
    }
    const metadata = readFileSync(at('graph', 'workflow-metadata.json'), 'utf8');
    expect(metadata).toContain('"callback_output_path": "outputs/stage-0-numbers.parquet"');
    const estimate = await mapped(evenParts).rehearse({ numRecords: 4 });
    expect(estimate.assumptions).toContainEqual(
      expect.stringContaining("2 rehearsed rows of 'numbers' expand to 4 rows"),
    );
  },
);

test(
  'a map runs again if its source or its rows change, and stages whose input is the same are reused',
  { tags: 'long' },
  async () => {
    await ranMapped();
    const file = at('graph', 'outputs', 'stage-0-numbers.parquet');
    const written = statSync(file).mtimeMs;
    const reused = ['stage-reuse numbers', 'stage-reuse after'];
    expect((await ranMapped()).events).toEqual(reused);
    expect(statSync(file).mtimeMs).toBe(written);
    expect((await ranMapped(sameParts)).events).toEqual(reused);
    expect(statSync(file).mtimeMs).toBeGreaterThan(written);
    await expect(ranMapped(otherParts, { resume: 'always' })).rejects.toMatchObject({
      code: 'workflow/changed',
      data: { stage: 'after', reason: 'its input has changed' },
    });
    expect((await ranMapped(otherParts)).events).toEqual([reused[0], 'stage-replace after', 'stage-start after']);
  },
);

test('a map without outputFormat keeps the columns; pushToHub refuses its rows', { tags: 'long' }, async () => {
  const flow = compose()
    .addStage('words', words, { rows: 3, map: async (rows) => (await Array.fromAsync(rows)).toReversed() })
    .addStage('last', (from) => from.builder(), {
      map: async function* (rows) {
        for await (const row of rows) yield row;
      },
    });
  const results = await flow.run();
  const rows = await Array.fromAsync(results.records());
  expectTypeOf(rows[0]!).toEqualTypeOf<{ id: string; word: 'moon' | 'salt' }>();
  const own = await Array.fromAsync(results.stageResults.get('words')!.records());
  expect(rows).toEqual(own.toReversed());
  await expect(results.pushToHub({ repoId: 'me/rows' })).rejects.toThrow('add a stage without columns after its map');
});

type Rows = AsyncIterable<Record<string, unknown>>;

const mappedBy = (given: unknown) => compose().addStage('numbers', numbers, { rows: 4, map: given as never });

test.each<[string, (rows: Rows) => unknown, string]>([
  [
    'throws',
    async function* (rows: Rows) {
      for await (const { n } of rows) {
        if (n === 2) throw new Error('no two.');
        yield { n };
      }
    },
    'it threw after it read row 1: no two. The rows of the stage are saved.',
  ],
  ['returns texts', () => ['x'], 'row 0 that it returned cannot be used: it is a string, not an object'],
  ['returns another type', () => [{ n: 1 }, { n: 'x' }], "row 1 that it returned cannot be used: 'n' must be int64"],
  ['returns another column', () => [{ m: 1 }], "it has the column 'm', which the stage does not have; declare it"],
  ['returns no rows', () => [], 'it returned no rows'],
  ['returns nothing', () => undefined, 'it did not return rows'],
])('the run fails if a map %s, and a resume runs the map alone', { tags: 'long' }, async (_, map, message) => {
  const failed = await mappedBy(map).run().catch((thrown: unknown) => thrown); // prettier-ignore
  expect(failed).toMatchObject({ code: 'workflow/map-failed' });
  expect(String(failed)).toContain(message);
  const { events, onEvent } = stageEvents();
  const results = await mappedBy((rows: Rows) => rows).run({ resume: 'always', onEvent });
  expect(events).toEqual(['stage-reuse numbers']);
  expect(results.countRecords()).toBe(4);
});

test('before anything is made, columns that a map does not have are found', async () => {
  const wrong = mapped(evenParts).addStage('wrong', (from) =>
    from.builder().addColumn({ name: 'x', columnType: 'expression', expr: '{{ m }}' } as never),
  );
  await expect(wrong.run()).rejects.toThrow("'m'");
  const open = compose().addStage('numbers', numbers, { map: () => [], outputFormat: z.string() as never });
  await expect(open.run()).rejects.toThrow('outputFormat is not the schema of an object with known columns');
  await expect(compose().addStage('a', numbers, { allowEmpty: true }).run()).rejects.toThrow('allowEmpty needs map');
  expect(existsSync(at('graph'))).toBe(false);
});

const atMost = (most: number) => {
  const map = async function* (rows: Rows) {
    for await (const row of rows) if (Number(row['n']) <= most) yield row;
  };
  // The function closes over the number, so its source tells them apart.
  map.toString = () => `at most ${most}`;
  return compose()
    .addStage('numbers', numbers, { rows: 4, allowEmpty: true, map })
    .addStage('next', (from) => from.builder())
    .addStage('last', (from) => from.builder());
};

test('with allowEmpty, the stages after a map without rows are skipped', { tags: 'long' }, async () => {
  const { events, onEvent } = stageEvents();
  const results = await atMost(0).run({ onEvent });
  expect(events).toEqual(['stage-start numbers', 'stage-skip next', 'stage-skip last']);
  expect([results.countStageOutputRecords('numbers'), [...results.keys()]]).toEqual([0, ['numbers']]);
  expect(() => results.finalResult).toThrow("has no result of a stage 'last'");
  const more = await atMost(3).run({ resume: 'if_possible' });
  expect(more.countRecords()).toBe(3);
  const none = await atMost(0).run({ resume: 'if_possible' });
  expect([...none.keys()]).toEqual(['numbers']);
  expect([...(await loadWorkflow(at('graph'))).keys()]).toEqual(['numbers']);
});

test('a file cannot declare a map', async () => {
  writeFileSync(at('flow.yaml'), 'stages: [{ name: a, config: { columns: [] }, map: evenParts }]');
  const { stdout } = await runCommand(['validate', at('flow.yaml')]);
  expect(stdout).toContain("a map is a function: only a program can pass it to 'addStage'");
});

function reviewedFlow() {
  return compose('reviewed')
    .addStage('words', words, { rows: 4 })
    .addStage('good', (from) => from.builder(), { reviews: 'accepted' });
}

test(
  'a stage reads the rows that reviewers accepted, with their edits, and is made again after further reviews',
  { tags: 'long' },
  async () => {
    await expect(reviewedFlow().run()).rejects.toMatchObject({
      code: 'workflow/no-rows',
      message: expect.stringContaining("no row of 'words' is accepted; review them with `data-designer view`"),
    });
    const stage = await loadDataset(at('reviewed', 'stage-0-words'));
    await stage.addReview({ row: 0, verdict: 'reject' });
    await stage.addReview({ row: 1, edits: { word: 'glass' } });
    await stage.addReview({ row: 3, verdict: 'accept' });
    const made = await Array.fromAsync(stage.records());
    const good = await reviewedFlow().run({ resume: 'always' });
    expect(await Array.fromAsync(good.records())).toEqual([{ ...made[1], word: 'glass' }, made[3]]);
    await stage.addReview({ row: 2, verdict: 'accept', comment: 'fine' });
    await expect(reviewedFlow().run({ resume: 'always' })).rejects.toMatchObject({ code: 'workflow/changed' });
    const path = at('reviewed', 'stage-0-words', 'reviews.jsonl');
    const [first = ''] = readFileSync(path, 'utf8').split('\n');
    writeFileSync(
      path,
      `${readFileSync(path, 'utf8')}${first.replace(/"hash":"[^"]*"(.*),"check":\d+/, '"hash":"of another row"$1')}\n`,
    );
    const events: WorkflowEvent[] = [];
    const more = await reviewedFlow().run({ resume: 'if_possible', onEvent: (event) => events.push(event) });
    expect(await Array.fromAsync(more.records())).toEqual([{ ...made[1], word: 'glass' }, made[2], made[3]]);
    expect(events.find(({ type }) => type === 'stage-input')).toMatchObject({
      message: "1 review of 'words' had no effect, because the rows changed after the review",
      details: { stale: [{ stage: 'words', rows: [0] }] },
    });
    const rehearsal = await reviewedFlow().rehearse({ numRecords: 4 });
    expect(rehearsal.stages).toMatchObject([{ stage: 'words' }, { stage: 'good' }]);
  },
);

test('a stage without input, or with the rows of a map, cannot read reviews', async () => {
  const alone = compose().addStage('good', words, { reviews: 'accepted' });
  await expect(alone.run()).rejects.toThrow('it has reviews and no input');
  const ofMap = compose()
    .addStage('words', words, { rows: 2, map: (rows) => rows })
    .addStage('good', (from) => from.builder(), { reviews: 'not_rejected' });
  await expect(ofMap.run()).rejects.toThrow("it reads reviews of 'words', whose rows are those of a map");
});
