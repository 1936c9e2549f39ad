import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { DataDesignerConfigBuilder } from '@data-designer/declaration';
import { DataDesigner } from '@data-designer/designer';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { testFolder } from '@data-designer/testing/test-folder';
import { loadWorkflow } from './load-workflow.ts';
import type { MapRows, StageOptions, WorkflowRunOptions } from './stage.ts';
import type { WorkflowEvent } from './workflow-event.ts';

const root = testFolder('run-workflow');
let folder: string;
let count = 0;
let model: AnsweringServer;
let requests = 0;

beforeAll(async () => {
  model = await openAnsweringServer((_, response) => {
    requests++;
    reply(response, completion('moon', { prompt_tokens: 10, completion_tokens: 2 }));
  });
});
afterAll(() => model[Symbol.dispose]());

beforeEach(() => {
  requests = 0;
  folder = join(root, String(count++));
  mkdirSync(folder);
});

const at = (...names: string[]): string => join(folder, ...names);
const designer = (runConfig: object = {}): DataDesigner =>
  new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: model.origin }], tools: [] },
    runConfig: { seed: 5, ...runConfig },
  });
const empty = () => new DataDesignerConfigBuilder();
const numbered = (from: { builder: () => DataDesignerConfigBuilder }, name: string, expr: string) =>
  from.builder().addColumn({ name, columnType: 'expression', expr });

const TOPIC = {
  name: 'topic',
  columnType: 'sampler',
  samplerType: 'category',
  params: { values: ['moon', 'salt', 'sea'] },
} as const;

/** Three topics, then a column of their own for each; `after` are the options of the second stage. */
function twoStages({ expr = 'about {{ topic }}', first = {}, after = {}, runConfig = {} }: TwoStages = {}) {
  return designer(runConfig)
    .composeWorkflow('flow')
    .addStage('topics', empty().addColumn(TOPIC), { rows: 3, ...first } as object)
    .addStage('texts', (from) => numbered(from, 'text', expr), after as object);
}

interface TwoStages {
  readonly expr?: string;
  readonly first?: Partial<StageOptions>;
  readonly after?: Partial<StageOptions>;
  readonly runConfig?: object;
}

type Runnable = ReturnType<typeof twoStages>;

async function ran(flow: Pick<Runnable, 'run'>, options: WorkflowRunOptions = {}) {
  const events: WorkflowEvent[] = [];
  const results = await flow.run({ resume: 'if_possible', ...options, onEvent: (event) => events.push(event) });
  const stages = events.flatMap((event) =>
    event.type.startsWith('stage-') && event.type !== 'stage-event' && 'index' in event
      ? [`${event.type} ${event.stage}`]
      : [],
  );
  return { results, events, stages };
}

const recorded = () =>
  JSON.parse(readFileSync(at('flow', 'workflow-metadata.json'), 'utf8')) as {
    readonly is_complete: boolean;
    readonly ended?: { readonly code: string };
    readonly stages: readonly Readonly<Record<string, unknown>>[];
  };

const made = ['stage-start topics', 'stage-end topics', 'stage-start texts', 'stage-end texts'];
const reused = ['stage-reuse topics', 'stage-reuse texts'];

test('a run makes each stage from the one before and records both', { tags: 'long' }, async () => {
  const { results, stages, events } = await ran(twoStages());
  expect(stages).toEqual(made);
  const rows = await Array.fromAsync(results.records());
  const topics = await Array.fromAsync(results.loadStageOutput('topics'));
  expect(rows).toEqual(topics.map(({ topic }) => ({ topic, text: `about ${String(topic)}` })));
  expect([results.countRecords(), results.name, results.path, results.divertedFrom, results.ended]).toEqual([
    3,
    'flow',
    at('flow'),
    null,
    null,
  ]);
  expect([...results.keys()]).toEqual(['topics', 'texts']);
  expect([...results.items()].map(([name, { count: all }]) => [name, all])).toEqual([
    ['topics', 3],
    ['texts', 3],
  ]);
  expect(results.reusedStages.size).toBe(0);
  expect(results.finalResult.path).toBe(results.getStageOutputPath('texts'));
  expect(results.getStageOutputPath('topics')).toBe(at('flow', 'stage-0-topics'));
  expect(() => results.countStageOutputRecords('text')).toThrow("Did you mean 'texts'?");
  const start = events.find((event) => event.type === 'workflow-start');
  expect(start).toMatchObject({ workflow: 'flow', path: at('flow'), stages: [{ rows: 3 }, { rows: null }] });
  const { stages: records, is_complete: isComplete } = recorded();
  expect(isComplete).toBe(true);
  expect(records).toMatchObject([
    {
      name: 'topics',
      index: 0,
      status: 'completed',
      depends_on: [],
      num_records_requested: 3,
      num_records_actual: 3,
      output_records: 3,
      seeded_from_stage: null,
      seed_path: null,
      output_seed_path: 'stage-0-topics/parquet-files',
      sampling_strategy: 'ordered',
      allow_empty: false,
      callback_output_path: null,
      input_file: null,
    },
    {
      name: 'texts',
      index: 1,
      stage_dir: 'stage-1-texts',
      depends_on: ['topics'],
      seeded_from_stage: 'topics',
      seed_path: 'stage-0-topics/parquet-files/*.parquet',
      num_records_requested: 3,
    },
  ]);
  expect(records[0]).not.toHaveProperty('cluster');
  expect(records[0]).not.toHaveProperty('extends_input');
  expect(records.every(({ duration_sec: seconds }) => typeof seconds === 'number' && seconds > 0)).toBe(true);
  expect(new Set(records.map(({ fingerprint }) => fingerprint)).size).toBe(2);
});

test(
  'a complete workflow is reused, and a changed stage is made again beside its old rows',
  { tags: 'long' },
  async () => {
    const { results: first } = await ran(twoStages());
    const again = await ran(twoStages(), { resume: 'always' });
    expect(again.stages).toEqual(reused);
    expect([...again.results.reusedStages]).toEqual(['topics', 'texts']);
    expect(await Array.fromAsync(again.results.records())).toEqual(await Array.fromAsync(first.records()));
    const changed = twoStages({ expr: 'on {{ topic }}' });
    await expect(changed.run({ resume: 'always' })).rejects.toMatchObject({
      code: 'workflow/changed',
      data: { workflow: 'flow', stage: 'texts', reason: 'its config has changed' },
    });
    expect(recorded()).toMatchObject({ is_complete: false, ended: { code: 'workflow/changed' } });
    const { stages, results } = await ran(changed);
    expect(stages).toEqual(['stage-reuse topics', 'stage-replace texts', ...made.slice(2)]);
    expect((await Array.fromAsync(results.records()))[0]?.['text']).toMatch(/^on /);
    expect(readdirSync(at('flow')).filter((name) => name.startsWith('stage-1-texts_'))).toHaveLength(1);
    expect(recorded()).not.toHaveProperty('ended');
  },
);

test(
  'without resume an existing workflow stays, and with resume a missing one is reported',
  { tags: 'long' },
  async () => {
    await expect(twoStages().run({ resume: 'always' })).rejects.toMatchObject({ code: 'dataset/missing' });
    mkdirSync(at('flow'));
    // A run was killed here before its first stage.
    const dead = { pid: 99_999_999, host: hostname(), started: '', birth: '', token: '' };
    writeFileSync(at('flow', '.lock'), JSON.stringify(dead));
    const { results } = await ran(twoStages(), { resume: 'never' });
    expect(results.path).toBe(at('flow'));
    const copies = [];
    for (const _ of [1, 2]) copies.push((await ran(twoStages(), { resume: 'never', targets: 'topics' })).results);
    expect(copies.map(({ divertedFrom }) => divertedFrom)).toEqual([at('flow'), at('flow')]);
    expect(new Set([results, ...copies].map(({ path }) => path)).size).toBe(3);
    expect(copies[0]?.finalStageName).toBe('topics');
  },
);

test('a folder with other files is not used for a new workflow', { tags: 'long' }, async () => {
  mkdirSync(at('flow'));
  writeFileSync(at('flow', 'notes.txt'), '');
  const { results } = await ran(twoStages(), { resume: 'never' });
  expect(results.divertedFrom).toBe(at('flow'));
  expect(readdirSync(at('flow'))).toEqual(['notes.txt']);
});

test('more rows of the first stage are added to those of both', { tags: 'long' }, async () => {
  const { results: before } = await ran(twoStages());
  const had = await Array.fromAsync(before.records());
  const { stages, results } = await ran(twoStages({ first: { rows: 5 } }));
  expect(stages).toEqual(made);
  const rows = await Array.fromAsync(results.records());
  expect(rows).toHaveLength(5);
  expect(rows.slice(0, 3)).toEqual(had);
  expect(recorded().stages[1]).toMatchObject({ extends_input: true, num_records_actual: 5 });
  const { stages: fewer } = await ran(twoStages({ first: { rows: 2 } }));
  expect(fewer[0]).toBe('stage-replace topics');
});

const regrouped = (rows: number) =>
  designer()
    .composeWorkflow('flow')
    .addStage('topics', sampled(), { rows })
    .addStage('lists', (from) => from.builder(), { group: { by: 'topic', collect: ['n'] } })
    .addStage('items', (from) => from.builder(), { expand: 'n' })
    .addStage('behind', (from) => from.builder(), { from: 'items' });

test(
  'more rows of the input are added behind expanded rows, and not behind grouped ones',
  { tags: 'long' },
  async () => {
    await ran(regrouped(4));
    const { stages, results } = await ran(regrouped(6));
    expect(stages.filter((event) => event.startsWith('stage-replace'))).toEqual([
      'stage-replace lists',
      'stage-replace items',
      'stage-replace behind',
    ]);
    expect(results.countRecords()).toBe(6);
  },
);

const sampled = () =>
  empty()
    .addColumn({ name: 'topic', columnType: 'sampler', samplerType: 'category', params: { values: ['moon', 'salt'] } })
    .addColumn({ name: 'n', columnType: 'sampler', samplerType: 'uniform', params: { low: 0, high: 9 } });

/** The rows of a file. */
const seeded = () => empty().withSeedDataset({ seedType: 'local', path: at('rows.jsonl') });

const expanded = (rows: number) =>
  designer()
    .composeWorkflow('flow')
    .addStage('lists', numbered({ builder: seeded }, 'own', '{{ id }}'), { rows })
    .addStage('items', (from) => from.builder(), { expand: 'tags' });

test('rows that a stage adds behind an expanded list of files stay where they are', { tags: 'long' }, async () => {
  writeFileSync(at('rows.jsonl'), '{"id":1,"tags":["a","b"]}\n{"id":2,"tags":["c"]}\n');
  const { results: one } = await ran(expanded(1));
  expect(await Array.fromAsync(one.records())).toEqual([
    { id: 1, tags: 'a', own: '1' },
    { id: 1, tags: 'b', own: '1' },
  ]);
  const { results, stages } = await ran(expanded(2));
  expect(stages).toEqual(['stage-start lists', 'stage-end lists', 'stage-start items', 'stage-end items']);
  expect((await Array.fromAsync(results.records())).map(({ tags }) => tags)).toEqual(['a', 'b', 'c']);
  expect(recorded().stages[1]).toMatchObject({
    seed_path: 'inputs/stage-1-items.parquet',
    input_file: { rows: 3 },
    extends_input: true,
  });
});

test(
  'targets leave out later stages, and rerunFrom makes a stage and its followers again',
  { tags: 'long' },
  async () => {
    const { results, stages } = await ran(twoStages(), { targets: ['topics'] });
    expect(stages).toEqual(made.slice(0, 2));
    expect(results.finalStageName).toBe('topics');
    await ran(twoStages());
    expect((await ran(twoStages(), { rerunFrom: 'texts' })).stages).toEqual([
      'stage-reuse topics',
      'stage-replace texts',
      ...made.slice(2),
    ]);
    expect((await ran(twoStages(), { resume: 'always', rerunFrom: 'topics' })).stages).toEqual([
      'stage-replace topics',
      ...made.slice(0, 2),
      'stage-replace texts',
      ...made.slice(2),
    ]);
  },
);

test('a file replaces the output of a stage for one run', { tags: 'long' }, async () => {
  const { results } = await ran(twoStages());
  const file = at('edited.parquet');
  const edited = await designer()
    .composeWorkflow('edit')
    .addStage('rows', empty().addColumn({ name: 'topic', columnType: 'expression', expr: 'sand' }), { rows: 2 })
    .run();
  expect(await edited.export(file)).toBe(file);
  const overridden = await ran(twoStages(), { overrides: { topics: file } });
  expect(overridden.stages).toEqual(['stage-reuse topics', 'stage-replace texts', ...made.slice(2)]);
  expect(await Array.fromAsync(overridden.results.records())).toEqual([
    { topic: 'sand', text: 'about sand' },
    { topic: 'sand', text: 'about sand' },
  ]);
  const { results: after } = await ran(twoStages());
  expect(await Array.fromAsync(after.records())).toEqual(await Array.fromAsync(results.records()));
  writeFileSync(at('broken.parquet'), 'no table');
  await expect(ran(twoStages(), { overrides: { topics: at('broken.parquet') } })).rejects.toMatchObject({
    code: 'workflow/invalid',
  });
});

const upper: MapRows<{ topic: string }> = async function* (rows) {
  for await (const { topic } of rows) yield { topic: topic.toUpperCase(), letters: topic.length };
};
const upperFormat = z.object({ topic: z.string(), letters: z.number().int() });
const mapped = (map: MapRows<{ topic: string }>, more: object = {}) =>
  twoStages({
    expr: '{{ topic }}: {{ letters }}',
    first: { map: map as MapRows, outputFormat: upperFormat, ...more },
  });

test('a map changes the rows that a stage hands over, and not its dataset', { tags: 'long' }, async () => {
  const { results } = await ran(mapped(upper));
  const output = await Array.fromAsync(results.loadStageOutput('topics'));
  const own = await Array.fromAsync(results.stageResults.get('topics')?.records() ?? []);
  expect(output).toEqual(
    own.map(({ topic }) => ({ topic: String(topic).toUpperCase(), letters: String(topic).length })),
  );
  expect(results.getStageOutputPath('topics')).toBe(at('flow', 'outputs', 'stage-0-topics.parquet'));
  expect(results.countStageOutputRecords('topics')).toBe(3);
  expect(recorded().stages[0]).toMatchObject({
    status: 'completed',
    output_records: 3,
    output_seed_path: 'outputs/stage-0-topics.parquet',
    callback_output_path: 'outputs/stage-0-topics.parquet',
    map_output: { path: 'outputs/stage-0-topics.parquet', rows: 3 },
  });
  expect(recorded().stages[1]).not.toHaveProperty('extends_input');
  const exported = await results.exportStage('topics', at('topics.jsonl'));
  expect(
    readFileSync(exported, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toEqual(output);
  await expect(results.exportStage('topics', at('topics.txt'))).rejects.toThrow('.txt');
  let calls = 0;
  const same: typeof upper = (rows) => (calls++, upper(rows));
  await ran(mapped(same));
  expect(calls).toBe(1);
  // The same function with the same rows is not called again.
  expect((await ran(mapped(same))).stages).toEqual(reused);
  expect(calls).toBe(1);
  await ran(mapped(same), { rerunFrom: 'topics' });
  expect(calls).toBe(2);
});

test.each([
  [() => 5 as never, 'it did not return rows'],
  [() => [{ topic: 'a', letters: 'many' }], 'row 0 that it returned cannot be used'],
  [() => [], 'it returned no rows'],
  [
    () => {
      throw new Error('no luck');
    },
    'it threw before it read a row: no luck',
  ],
  [
    async function* (rows) {
      for await (const _ of rows) throw new Error('no luck');
      yield { topic: 'a', letters: 1 };
    },
    'it threw after it read row 0: no luck',
  ],
] as readonly (readonly [MapRows<{ topic: string }>, string])[])(
  'a map that fails ends the run: %#',
  { tags: 'long' },
  async (map, reason) => {
    await expect(mapped(map).run()).rejects.toMatchObject({
      code: 'workflow/map-failed',
      data: { workflow: 'flow', stage: 'topics', reason: expect.stringContaining(reason) as string },
    });
    expect(recorded()).toMatchObject({ is_complete: false, ended: { code: 'workflow/map-failed' } });
  },
);

const none: MapRows<{ topic: string }> = () => [];

test('stages behind a map that may return no rows are skipped', { tags: 'long' }, async () => {
  const { stages, results, events } = await ran(mapped(none, { allowEmpty: true }));
  expect(stages).toEqual([...made.slice(0, 2), 'stage-skip texts']);
  expect(events.find((event) => event.type === 'stage-skip')).toMatchObject({ index: 1, upstream: 'topics' });
  expect(results.countStageOutputRecords('topics')).toBe(0);
  expect([...results.keys()]).toEqual(['topics']);
  expect(recorded().stages[0]).toMatchObject({ status: 'completed_empty', allow_empty: true });
  await ran(mapped(upper, { allowEmpty: true }));
  await ran(mapped(none, { allowEmpty: true }));
  expect(recorded().stages[1]).toMatchObject({ name: 'texts', status: 'skipped_empty_upstream' });
  const loaded = await loadWorkflow(at('flow'));
  expect([...loaded.keys()]).toEqual(['topics']);
});

test('a map whose format has unknown columns, and a push of its rows, are refused', { tags: 'long' }, async () => {
  await expect(mapped(upper, { outputFormat: z.record(z.string(), z.string()) }).run()).rejects.toThrow(
    'outputFormat is not the schema of an object with known columns',
  );
  const results = await twoStages({
    after: {
      map: async function* (rows) {
        yield* rows;
      } as MapRows,
    },
  }).run();
  await expect(results.pushToHub({ repo: 'a/b' } as never)).rejects.toMatchObject({ code: 'workflow/invalid' });
});

test('a stopped run ends before the rows of a map are read', { tags: 'long' }, async () => {
  const stop = new AbortController();
  const flow = mapped(upper);
  await expect(
    flow.run({
      drain: stop.signal,
      onEvent: (event) => {
        if (event.type === 'stage-end') stop.abort(new Error('enough'));
      },
    }),
  ).rejects.toMatchObject({ code: 'run/aborted' });
  expect(recorded().stages[0]).toMatchObject({ status: 'completed' });
});

/** A stage whose cells cost one each, and one behind it. */
const paid = (runConfig: object = {}, rows = 2) =>
  designer({ maxCost: null, ...runConfig })
    .composeWorkflow('flow')
    .addStage(
      'topics',
      empty()
        .addModelConfig({
          alias: 'writer',
          model: 'm',
          provider: 'own',
          skipHealthCheck: true,
          pricing: { input: 100_000, output: 0 },
        })
        .addColumn({ name: 'topic', columnType: 'llm-text', modelAlias: 'writer', prompt: 'A topic {{ n }}' })
        .addColumn({ name: 'n', columnType: 'sampler', samplerType: 'uuid', params: {} }),
      { rows },
    )
    .addStage('texts', (from) =>
      from.builder().addColumn({ name: 'text', columnType: 'llm-text', modelAlias: 'writer', prompt: '{{ topic }}' }),
    );

test('the summary adds up what the stages took, and the budget holds for all together', { tags: 'long' }, async () => {
  const { results: first, stages } = await ran(paid({ maxCost: 2 }));
  expect(first.ended?.code).toBe('run/budget-spent');
  expect(stages).toEqual(['stage-start topics', 'stage-end topics']);
  expect(recorded()).toMatchObject({ is_complete: false, ended: { code: 'run/budget-spent' } });
  const { results } = await ran(paid());
  expect(requests).toBe(4);
  const { stages: each, total } = results.summary;
  expect(each).toMatchObject([
    {
      stage: 'topics',
      path: at('flow', 'stage-0-topics'),
      reused: true,
      ended: null,
      rows: 2,
      requested: 2,
      missing: 0,
    },
    { stage: 'texts', reused: false, requests: 2, failedRequests: 0, inputTokens: 20, outputTokens: 4 },
  ]);
  expect(total).toMatchObject({ rows: 4, requested: 4, missing: 0, requests: 4, inputTokens: 40, outputTokens: 8 });
  expect([results.cost, each[0]?.cost, each[1]?.cost]).toEqual([4, 2, 2]);
  expect(total.seconds).toBeCloseTo((each[0]?.seconds ?? 0) + (each[1]?.seconds ?? 0));
  const analysis = await results.loadWorkflowAnalysis();
  expect(analysis.toJSON()).toMatchObject({
    name: 'flow',
    total: { rows: 4 },
    stages: [
      { stage: 'topics', profile: { version: 1, wanted: 2 } },
      { stage: 'texts', profile: { version: 1, wanted: 2 } },
    ],
  });
  const report = await analysis.toReport();
  expect(report).toMatch(/topics[\s\S]*texts/);
  expect(await analysis.toReport({ savePath: at('report.html') })).toContain('<html');
  expect(await analysis.toReport({ savePath: at('report.svg') })).toContain('<svg');
  expect(existsSync(at('report.html'))).toBe(true);
  expect((await results.loadAnalysis()).profile).toMatchObject({ wanted: 2 });
  const { results: reusedPaid, events } = await ran(paid());
  expect(events.find((event) => event.type === 'stage-reuse')).toMatchObject({ rows: 2, requests: 2, cost: 2 });
  expect(reusedPaid.cost).toBe(4);
  const checks = await paid().checkModels();
  expect(checks.map(({ stage, alias }) => [stage, alias])).toEqual([
    ['topics', 'writer'],
    ['texts', 'writer'],
  ]);
});

test('a workflow is loaded with what its stages took', { tags: 'long' }, async () => {
  await expect(loadWorkflow(at('flow'))).rejects.toMatchObject({ code: 'dataset/missing' });
  const { results } = await ran(mapped(upper));
  const loaded = await loadWorkflow(at('flow'));
  expect([...loaded.keys()]).toEqual(['topics', 'texts']);
  expect(loaded.summary.stages.map(({ seconds }) => seconds)).toEqual(
    results.summary.stages.map(({ seconds }) => seconds),
  );
  expect(await Array.fromAsync(loaded.loadStageOutput('topics'))).toEqual(
    await Array.fromAsync(results.loadStageOutput('topics')),
  );
  expect([loaded.finalStageName, loaded.ended, loaded.reusedStages.size, loaded.divertedFrom]).toEqual([
    'texts',
    null,
    2,
    null,
  ]);
  const file = at('flow', 'workflow-metadata.json');
  writeFileSync(file, JSON.stringify({ ...recorded(), format_version: 99 }));
  await expect(loadWorkflow(at('flow'))).rejects.toMatchObject({ code: 'dataset/other-version' });
});

test('stages that the workflow no longer has stay in its record, behind the others', { tags: 'long' }, async () => {
  await ran(twoStages());
  const one = designer()
    .composeWorkflow('flow')
    .addStage('words', empty().addColumn({ name: 'word', columnType: 'expression', expr: 'a' }), { rows: 1 });
  await ran(one);
  expect(recorded().stages.map(({ name, index }) => [name, index])).toEqual([
    ['words', 0],
    ['topics', 1],
    ['texts', 2],
  ]);
});

const asking = (name: string, alias: string) =>
  empty()
    .addModelConfig({ alias, model: name, provider: 'own', skipHealthCheck: true })
    .addColumn({ name, columnType: 'llm-text', modelAlias: alias, prompt: 'x' });

const oneStage = (rows: number) =>
  designer().composeWorkflow('flow').addStage('first', empty().addColumn(TOPIC), { rows });

test('a folder that holds other files is no workflow that is continued', async () => {
  mkdirSync(at('flow'));
  writeFileSync(at('flow', 'notes.txt'), '');
  await expect(ran(oneStage(1), { resume: 'always' })).rejects.toMatchObject({ code: 'dataset/missing' });
  expect(readdirSync(at('flow'))).toEqual(['notes.txt']);
});

test('rows that are added to a stage without an input extend no input', async () => {
  await ran(oneStage(1));
  const { results } = await ran(oneStage(2));
  expect(await Array.fromAsync(results.records())).toHaveLength(2);
  const [record] = recorded().stages;
  expect(record).toMatchObject({ status: 'completed', num_records_actual: 2 });
  expect(record).not.toHaveProperty('extends_input');
});

test('a stage starts from the models of the stages that it reads, of two with one alias from the first', async () => {
  const models: unknown[] = [];
  const flow = designer()
    .composeWorkflow('flow')
    .addStage('a', asking('one', 'writer'), { rows: 1, from: [] })
    .addStage('b', asking('two', 'writer'), { rows: 1, from: [] })
    .addStage('c', asking('three', 'editor'), { rows: 1, from: [] })
    .addStage(
      'all',
      (from) => {
        models.push(
          from
            .builder()
            .modelConfigs.filter(({ alias }) => !alias.includes('-'))
            .map(({ alias, model: name }) => [alias, name]),
          from.columns,
        );
        return from.builder().addColumn({ name: 'x', columnType: 'expression', expr: '{{ one }}' });
      },
      { from: ['a', 'b', 'c'], join: 'position' } as never,
    );
  const reports = await flow.check();
  expect(reports.map(({ stage, columns, models: used }) => [stage, columns, used])).toEqual([
    ['a', ['one'], ['writer']],
    ['b', ['two'], ['writer']],
    ['c', ['three'], ['editor']],
    ['all', ['one', 'two', 'three', 'x'], []],
  ]);
  expect(models.slice(0, 2)).toEqual([
    [
      ['writer', 'one'],
      ['editor', 'three'],
    ],
    ['one', 'two', 'three'],
  ]);
});

test('a check reports the mistakes of all stages, and none that follow from others', async () => {
  const flow = designer()
    .composeWorkflow('flow')
    .addStage('a', empty().addColumn({ name: 'x', columnType: 'expression', expr: '{{ gone }}' }), { rows: 1 })
    .addStage('b', {
      source: 'b',
      document: { columns: [{ name: 'y', column_type: 'expression', expr: '{{ lost }}' }] },
    })
    .addStage('c', (from) => numbered(from, 'z', '{{ y }}'))
    .addStage('d', { source: 'd', document: { columns: [{ name: 'v', column_type: 'expression', expr: '{{ y }}' }] } });
  const failure = await flow.check().catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code: 'config/invalid', data: { source: 'The workflow flow' } });
  const { violations } = (failure as { data: { violations: readonly { path: string }[] } }).data;
  expect(violations.map(({ path }) => path.split(',')[0])).toEqual(["stage 'a'", "stage 'b'"]);
  const one = twoStages({ expr: '{{ gone }}' });
  await expect(one.check()).rejects.toMatchObject({ code: 'config/invalid' });
  await expect(designer().composeWorkflow('flow').check()).rejects.toThrow('it has no stages');
});

test('a stage that is made reports each of its warnings once, and a reused one none', { tags: 'long' }, async () => {
  const warnings: string[] = [];
  const warned = (expr: string, rows: number) =>
    new DataDesigner({
      artifactPath: folder,
      runConfig: { seed: 5, nonInferenceMaxParallelWorkers: 3 },
      onWarning: ({ path }) => warnings.push(path),
    })
      .composeWorkflow('flow')
      .addStage(
        'a',
        { source: 'a', document: { columns: [{ name: 'x', column_type: 'expression', expr }] } },
        { rows },
      );
  const told = async (expr: string, rows: number) => {
    warnings.length = 0;
    const { stages } = await ran(warned(expr, rows), { resume: 'always' });
    return [...stages, ...warnings];
  };
  await warned('1', 2).run();
  expect(warnings).toEqual(['run_config.non_inference_max_parallel_workers']);
  expect(await told('1', 2)).toEqual(['stage-reuse a']);
  expect(await told('1', 3)).toEqual(['stage-start a', 'stage-end a', 'run_config.non_inference_max_parallel_workers']);
  expect((await warned('1', 3).run({ resume: 'always' })).stageResults.get('a')?.count).toBe(3);
});

test('a selection of a stage counts accepted rows, and is declared once', { tags: 'long' }, async () => {
  const select = { where: "topic == 'salt'" };
  const { results } = await ran(twoStages({ first: { rows: 2, select } }));
  expect((await Array.fromAsync(results.records())).map(({ topic }) => topic)).toEqual(['salt', 'salt']);
  const twice = designer()
    .composeWorkflow('other')
    .addStage(
      'a',
      { source: 'a', document: { columns: [{ name: 'x', column_type: 'expression', expr: '1' }], select } },
      {
        rows: 1,
        select,
      } as never,
    );
  await expect(twice.check()).rejects.toThrow('both the stage and its config have select');
});

test(
  'a rehearsal scales the rows of a sample, and names the limits that the workflow would reach',
  { tags: 'long' },
  async () => {
    const flow = paid({ maxCost: 10, maxDurationSeconds: 1 }, 100);
    const {
      stages,
      requests: estimated,
      cost,
      assumptions,
      wallMs,
      inputTokens,
      outputTokens,
    } = await flow.rehearse({
      numRecords: 7,
      sampleRows: 4,
      latency: '1000',
    });
    expect(stages.map(({ stage, rows, requests: each }) => [stage, rows, each])).toEqual([
      ['topics', 100, 100],
      ['texts', 100, 100],
    ]);
    const sum = (of: (one: (typeof stages)[number]) => number) => stages.reduce((all, one) => all + of(one), 0);
    expect([estimated, inputTokens, outputTokens, cost]).toEqual([
      200,
      sum((one) => one.inputTokens),
      sum((one) => one.outputTokens),
      sum((one) => one.cost ?? 0),
    ]);
    expect(wallMs).toBeGreaterThanOrEqual(sum(({ wall }) => wall.ms));
    expect(assumptions).toContain('The workflow would stop at its max_cost of 10.');
    expect(assumptions).toContain('The workflow would stop at its max_duration_seconds of 1.');
    expect(assumptions.join(' ')).not.toContain('at the same time');
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('a rehearsal estimates expanded rows from those of the sample', { tags: 'long' }, async () => {
  writeFileSync(at('rows.jsonl'), '{"id":1,"tags":["a","b"]}\n{"id":2,"tags":["c","d","e","f"]}\n');
  const flow = designer()
    .composeWorkflow('flow')
    .addStage('lists', numbered({ builder: seeded }, 'own', '{{ id }}'))
    .addStage('items', (from) => numbered(from, 'x', '{{ tags }}'), { expand: 'tags' })
    .addStage('others', (from) => numbered(from, 'x', '{{ id }}'), { from: 'lists' });
  const { stages, assumptions, cost } = await flow.rehearse({ numRecords: 10, sampleRows: 2 });
  expect(stages.map(({ stage, rows }) => [stage, rows])).toEqual([
    ['lists', 10],
    ['items', 30],
    ['others', 10],
  ]);
  expect(cost).toBe(0);
  expect(assumptions.join(' ')).not.toContain('would stop');
  expect(assumptions).toContain("Stage 'items' has about 30 rows: 2 rehearsed rows of 'lists' expand to 6 rows.");
  expect(assumptions).toContain('Stages that do not depend on each other run at the same time.');
  await expect(flow.rehearse({ numRecords: 0 })).rejects.toMatchObject({ code: 'rehearsal/invalid-option' });
});
