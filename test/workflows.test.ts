import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ComposedWorkflow,
  DataDesigner,
  DataDesignerConfigBuilder,
  loadDataset,
  loadWorkflow,
  type StageCounts,
  type WorkflowEvent,
  type WorkflowRunOptions,
} from 'data-designer';
import { afterAll, beforeAll, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { folderJournal } from '../packages/dataset/src/journal/folder-journal.ts';
import { runCommand, startDataDesigner } from './command-line.ts';
import { readPage } from './markdown.ts';

const PRICING = { input: 1_000_000, output: 0 };

let simulator: RunningSimulator;
let root: string;
let folder: string;
let tests = 0;

beforeAll(async () => {
  simulator = await startSimulator();
  root = mkdtempSync(join(tmpdir(), 'workflows-'));
});

afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

beforeEach(() => {
  folder = join(root, String(tests++));
  mkdirSync(folder);
});

const answers = async () => (await simulator.stats()).answers;
const at = (...names: string[]) => join(folder, ...names);

function designer(runConfig: { readonly maxCost?: number; readonly maxDurationSeconds?: number } = {}): DataDesigner {
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: simulator.url }], tools: [] },
    runConfig: { seed: 5, ...runConfig },
  });
}

/** A workflow of four stages: 1:N after the first, N:1 before the last. */
function workflow({
  prompt = 'Answer {{ questions }}',
  rows = 3,
  values = ['moon', 'salt'],
  maxCost = undefined as number | undefined,
} = {}) {
  const topics = new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'writer', model: 'sim-small', provider: 'own', pricing: PRICING })
    .addColumn({ name: 'topic', columnType: 'sampler', samplerType: 'category', params: { values } })
    .addColumn({
      name: 'questions',
      columnType: 'llm-structured',
      modelAlias: 'writer',
      prompt: 'Ask about {{ topic }}',
      outputFormat: z.array(z.string()).min(2).max(2),
    });
  return designer(maxCost === undefined ? {} : { maxCost })
    .composeWorkflow('qa')
    .addStage('topics', topics, { rows })
    .addStage('items', (from) => from.builder(), { expand: 'questions' })
    .addStage('answers', (from) =>
      from.builder().addColumn({ name: 'answer', columnType: 'llm-text', modelAlias: 'writer', prompt }),
    )
    .addStage(
      'sheets',
      (from) =>
        from.builder().addColumn({ name: 'n', columnType: 'expression', expr: '{{ answer | length }}', dtype: 'int' }),
      { group: { by: 'topic', collect: ['questions', 'answer'] } },
    );
}

/** Runs the workflow, and lists what became of its stages. */
async function ran<Row>(
  flow: ComposedWorkflow<Row>,
  { onStart, ...options }: WorkflowRunOptions & { readonly onStart?: () => void } = {},
) {
  const events: string[] = [];
  const onEvent = (event: WorkflowEvent): void => {
    if (event.type === 'stage-start') onStart?.();
    if ('index' in event && event.type !== 'stage-end') events.push(`${event.type} ${event.stage}`);
  };
  const results = await flow.run({ resume: 'if_possible', ...options, onEvent });
  return { results, events };
}

const start = (...stages: string[]) => stages.map((stage) => `stage-start ${stage}`);
const reuse = (...stages: string[]) => stages.map((stage) => `stage-reuse ${stage}`);
const replace = (stage: string) => [`stage-replace ${stage}`, `stage-start ${stage}`];

test('each stage reads the rows of the one before: expanded, as they are, and grouped', async () => {
  const { results, events } = await ran(workflow());
  expect(events).toEqual(start('topics', 'items', 'answers', 'sheets'));
  const topics = await Array.fromAsync(results.loadStageOutput('topics'));
  const items = await Array.fromAsync(results.loadStageOutput('items'));
  expect(items.map(({ topic, questions }) => [topic, questions])).toEqual(
    topics.flatMap(({ topic, questions }) => (questions as string[]).map((question) => [topic, question])),
  );
  const rows = await Array.fromAsync(results.records());
  expectTypeOf(rows[0]!).toEqualTypeOf<{ topic: string; questions: string[]; answer: string[]; n: number }>();
  expect(rows.map(({ topic }) => topic)).toEqual([...new Set(topics.map(({ topic }) => topic))]);
  for (const row of rows) {
    expect(row.questions).toEqual(items.filter(({ topic }) => topic === row.topic).map(({ questions }) => questions));
    expect(row.answer).toHaveLength(row.n);
  }
  expect(results.countRecords()).toBe(rows.length);
  expect(results.getStageOutputPath('answers')).toBe(at('qa', 'stage-2-answers'));
  expect(() => results.getStageOutputPath('answer')).toThrow("Did you mean 'answers'?");
});

test(
  'the metadata lists the stages in order, with the keys that the Python tool requires',
  { tags: 'long' },
  async () => {
    await ran(workflow());
    const metadata = JSON.parse(readFileSync(at('qa', 'workflow-metadata.json'), 'utf8')) as {
      readonly name: string;
      readonly stages: readonly Record<string, unknown>[];
    };
    expect(metadata.name).toBe('qa');
    expect(metadata.stages.map(({ depends_on: before }) => before)).toEqual([[], ['topics'], ['items'], ['answers']]);
    expect(metadata.stages[1]).toMatchObject({
      status: 'completed',
      index: 1,
      name: 'items',
      stage_dir: 'stage-1-items',
      num_records_requested: 6,
      num_records_actual: 6,
      seeded_from_stage: 'topics',
      seed_path: 'inputs/stage-1-items.parquet',
      output_seed_path: 'stage-1-items/parquet-files',
      output_processors: [],
      on_success_version: null,
      callback_output_path: null,
      output_processor_output_path: null,
    });
  },
);

test(
  'a repeated run reuses every stage, and a changed one is made again with those after it',
  { tags: 'long' },
  async () => {
    await ran(workflow());
    const bought = await answers();
    expect((await ran(workflow())).events).toEqual(reuse('topics', 'items', 'answers', 'sheets'));
    expect(await answers()).toBe(bought);
    const changed = workflow({ prompt: 'Reply to {{ questions }}' });
    await expect(changed.run({ resume: 'always' })).rejects.toMatchObject({
      code: 'workflow/changed',
      data: { stage: 'answers', reason: 'its config has changed' },
    });
    expect(existsSync(at('qa', 'stage-2-answers'))).toBe(true);
    expect((await ran(changed)).events).toEqual([
      ...reuse('topics', 'items'),
      ...replace('answers'),
      ...replace('sheets'),
    ]);
    expect(await answers()).toBe(bought + 6);
    // What was paid for stays, under another name.
    const kept = readdirSync(at('qa')).filter((name) => /^stage-2-answers_\d/.test(name));
    expect(kept).toHaveLength(1);
    expect((await loadDataset(at('qa', kept[0] ?? ''))).count).toBe(6);
  },
);

test(
  'more rows are added to those of the first stage, and a run without resume leaves the workflow alone',
  { tags: 'long' },
  async () => {
    killedAtOnce();
    const { results: before } = await ran(workflow(), { resume: 'never' });
    expect(before.divertedFrom).toBeNull();
    const bought = await answers();
    const had = new Map<string, readonly object[]>();
    for (const stage of ['topics', 'items', 'answers'] as const)
      had.set(stage, await Array.fromAsync(before.loadStageOutput(stage)));
    const { results, events } = await ran(workflow({ rows: 4 }));
    // A group may have grown.
    expect(events).toEqual([...start('topics', 'items', 'answers'), ...replace('sheets')]);
    // One question for the new row, and an answer to each of its two questions.
    expect(await answers()).toBe(bought + 3);
    for (const [stage, count] of [
      ['topics', 4],
      ['items', 8],
      ['answers', 8],
    ] as const) {
      const rows = await Array.fromAsync(results.loadStageOutput(stage));
      expect(rows).toHaveLength(count);
      expect(rows.slice(0, had.get(stage)?.length)).toEqual(had.get(stage));
    }
    expect((await ran(workflow({ rows: 4 }))).events).toEqual(reuse('topics', 'items', 'answers', 'sheets'));
    const fresh = await workflow().run({ targets: 'topics' });
    expect(fresh.divertedFrom).toBe(at('qa'));
    expect(readdirSync(folder)).toHaveLength(2);
  },
);

/** The folder of a workflow whose run was killed before its first stage. */
function killedAtOnce(): void {
  mkdirSync(at('qa'));
  const dead = { pid: 99_999_999, host: hostname(), started: '', birth: '', token: '' };
  writeFileSync(join(at('qa'), '.lock'), JSON.stringify(dead));
}

test(
  'targets keep later stages, rerunFrom makes stages again, and an override counts for one run',
  { tags: 'long' },
  async () => {
    killedAtOnce();
    await ran(workflow(), { resume: 'always' });
    const partial = await ran(workflow(), { targets: ['items'] });
    expect(partial.events).toEqual(reuse('topics', 'items'));
    expect(partial.results.finalStageName).toBe('items');
    expect((await ran(workflow(), { resume: 'always' })).events).toEqual(reuse('topics', 'items', 'answers', 'sheets'));
    const again = await ran(workflow(), { resume: 'always', rerunFrom: 'answers' });
    expect(again.events).toEqual([...reuse('topics', 'items'), ...replace('answers'), ...replace('sheets')]);

    const reviewed = at('reviewed.parquet');
    const { results: original } = await ran(workflow());
    await new DataDesigner({ artifactPath: folder })
      .create(
        new DataDesignerConfigBuilder()
          .withSeedDataset({
            seedType: 'df',
            rows: [
              { topic: 'moon', questions: 'One?', answer: 'Yes.' },
              { topic: 'moon', questions: 'Two?', answer: 'No.' },
            ],
          })
          .addColumn({ name: 'n', columnType: 'expression', expr: '1', drop: true })
          .addColumn({ name: 'edited', columnType: 'expression', expr: 'yes' }),
        { numRecords: 2, datasetName: 'edit' },
      )
      .then((edit) => edit.export(reviewed));
    const overridden = await ran(workflow(), { overrides: { answers: reviewed } });
    expect(overridden.events).toEqual([...reuse('topics', 'items', 'answers'), ...replace('sheets')]);
    expect(await Array.fromAsync(overridden.results.records())).toEqual([
      { topic: 'moon', questions: ['One?', 'Two?'], answer: ['Yes.', 'No.'], edited: 'yes', n: 2 },
    ]);
    const { results, events } = await ran(workflow());
    expect(events).toEqual([...reuse('topics', 'items', 'answers'), ...replace('sheets')]);
    expect(await Array.fromAsync(results.records())).toEqual(await Array.fromAsync(original.records()));
  },
);

test('the budget holds for all stages together', { tags: 'long' }, async () => {
  const { results: first } = await ran(workflow(), { targets: 'topics' });
  const maxCost = first.cost! + 1;
  const { results } = await ran(workflow({ maxCost }));
  expect(results.ended?.code).toBe('run/budget-spent');
  expect([...results.keys()]).not.toContain('sheets');
  expect(() => results.finalResult).toThrow("no result of a stage 'sheets'");
  const bought = await answers();
  const { results: resumed } = await ran(workflow());
  expect(resumed.ended).toBe(null);
  expect(await answers()).toBeLessThan(bought + 6);
});

test(
  'a rehearsal estimates the rows of each stage from the sample of those that it reads',
  { tags: 'long' },
  async () => {
    const bought = await answers();
    const flow = workflow({ rows: 100, maxCost: 1 });
    const { stages, requests, cost, wallMs, assumptions } = await flow.rehearse({
      numRecords: 100,
      sampleRows: 8,
      latency: '1',
    });
    expect(stages.map(({ stage, rows, sample }) => [stage, rows, sample.rows])).toEqual([
      ['topics', 100, 8],
      ['items', 200, 8],
      ['answers', 200, 8],
      ['sheets', stages[3]?.rows, stages[3]?.sample.rows],
    ]);
    // Of two topics there are no more groups in more rows than in the sample.
    expect(stages[3]?.rows).toBeLessThan(10);
    expect(stages.map((one) => one.requests)).toEqual([100, 0, 200, 0]);
    expect(requests).toBe(300);
    expect(cost).toBeCloseTo(stages.reduce((sum, one) => sum + (one.cost ?? 0), 0));
    expect(wallMs).toBeGreaterThanOrEqual(Math.max(...stages.map(({ wall }) => wall.ms)));
    expect(assumptions).toContain("Stage 'items' has about 200 rows: 8 rehearsed rows of 'topics' expand to 16 rows.");
    expect(assumptions).toContain('The workflow would stop at its max_cost of 1.');
    expect(assumptions.filter((one) => one.startsWith("Stage 'sheets' has about"))).toHaveLength(1);
    expect(await answers()).toBe(bought);
    expect(readdirSync(folder)).toEqual([]);
    await expect(flow.rehearse({ numRecords: 0 })).rejects.toMatchObject({ code: 'rehearsal/invalid-option' });
  },
);

test('the time limit holds for all stages together', { tags: 'long' }, async () => {
  const limit = 1;
  const flow = designer({ maxDurationSeconds: limit })
    .composeWorkflow('slow')
    .addStage('one', textColumn(), { rows: 1 })
    .addStage('two', (from) => from.builder());
  const { results, events } = await ran(flow, {
    // The limit of the stage itself begins later.
    onStart: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, limit * 1000),
  });
  expect(results.ended).toMatchObject({ code: 'run/time-spent', message: expect.stringContaining('limit of 1 s') });
  expect(events).toEqual(start('one'));
});

test('a stage whose config selects rows hands on exactly the accepted ones', { tags: 'long' }, async () => {
  const values = ['moon', 'salt'];
  const topics = new DataDesignerConfigBuilder().addColumn({
    name: 'topic',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values },
  });
  const chosen = { source: 'chosen', document: { columns: [], select: { where: "topic == 'salt'" } } };
  const results = await designer()
    .composeWorkflow('few')
    .addStage('topics', topics, { rows: 12 })
    .addStage('chosen', chosen, { rows: 3 })
    .addStage('after', (from) => from.builder())
    .run();
  expect(await Array.fromAsync(results.records())).toEqual(Array.from({ length: 3 }, () => ({ topic: 'salt' })));
});

test.each([
  [{ targets: 'sheet' }, "targets names no stage 'sheet'. Did you mean 'sheets'?"],
  [{ targets: 'items', rerunFrom: 'sheets' }, "rerunFrom names the stage 'sheets', which the targets do not need"],
  [{ resume: 'never', rerunFrom: 'items' }, "rerunFrom needs resume: 'if_possible' or 'always'"],
  [{ overrides: { items: 'gone.parquet' } }, 'the override gone.parquet cannot be read'],
] as const)('the options %j are refused before anything is made', async (options, message) => {
  await expect(workflow().run({ resume: 'if_possible', ...options })).rejects.toThrow(message);
  expect(readdirSync(folder)).toEqual([]);
});

test('a mistake in a later stage is found before the first request', async () => {
  const bought = await answers();
  await expect(workflow({ prompt: '{{ question }}' }).run()).rejects.toMatchObject({ code: 'config/invalid' });
  const flow = designer().composeWorkflow('bad').addStage('a', textColumn(), { rows: 2 });
  await expect(flow.addStage('b', (from) => from.builder(), { expand: 'text' }).run()).rejects.toThrow(
    "stage 'b': expand: the column 'text' is not a list",
  );
  expect(await answers()).toBe(bought);
  expect(readdirSync(folder)).toEqual([]);
});

function textColumn() {
  return new DataDesignerConfigBuilder().addColumn({ name: 'text', columnType: 'expression', expr: 'hello' });
}

/** Writes the files of the guide's first example, and returns the words to make the workflow. */
function writeGuide(): (...more: string[]) => string[] {
  for (const { code } of readPage('docs/guide/workflows.md').fences) {
    const name = /^# (\w+\.yaml)\n/.exec(code)?.[1];
    if (name !== undefined) writeFileSync(at(name), code.replaceAll('provider: simulator', 'provider: own'));
  }
  writeFileSync(at('providers.yaml'), `providers: [{ name: own, endpoint: '${simulator.url}' }]`);
  return (...more) => [
    'create',
    at('flow.yaml'),
    '-o',
    folder,
    '--providers',
    at('providers.yaml'),
    '--seed',
    '3',
    ...more,
  ];
}

test('after a SIGKILL in two branches of a file, a resume requests no answer again', { tags: 'long' }, async () => {
  const create = writeGuide();
  writeFileSync(
    at('notes.yaml'),
    readFileSync(at('answers.yaml'), 'utf8')
      .replaceAll(/answer\b|questions/g, 'topic_$&')
      .replace('topic_questions', 'topic'),
  );
  appendFileSync(at('flow.yaml'), '  - { name: notes, from: topics, config: notes.yaml }\n');
  const before = await answers();
  const env = { DATA_DESIGNER_SKIP_MODEL_HEALTH_CHECKS: '1' };
  await simulator.holdAfter(4 + 3);
  const run = startDataDesigner(create(), env);
  const journals = ['stage-1-answers', 'stage-3-notes'].map((stage) => at('qa', stage, 'journal', 'group_00000'));
  const journaled = async () => {
    const read = journals.filter((path) => existsSync(path)).map((path) => folderJournal(path).read());
    return (await Promise.all(read)).reduce((sum, { entries }) => sum + entries.length, 0);
  };
  while (run.child.exitCode === null && (await journaled()) < 3) await sleep(10);
  run.child.kill('SIGKILL');
  const { code, stderr } = await run.finished;
  expect([code, stderr]).toEqual([null, expect.stringContaining("Stage 'answers': ")]);
  expect(await answers()).toBe(before + 4 + 3);
  await simulator.release();
  const resumed = await runCommand(create('--resume', 'always', '--json'), { env });
  expect(resumed.code).toBe(0);
  const { stages } = JSON.parse(resumed.stdout) as {
    readonly stages: readonly { stage: string; records: number; reused: boolean }[];
  };
  expect(stages.map(({ stage, reused }) => [stage, reused])).toEqual([
    ['topics', true],
    ['answers', false],
    ['sheets', false],
    ['notes', false],
  ]);
  expect(await answers()).toBe(before + 4 + stages[1]!.records + 4);
  const same = await runCommand(create('--resume', 'always', '-n', '4'));
  expect(same.stderr.match(/unchanged/g)).toHaveLength(4);
});

test('one command makes the report, the export and the call log of all stages', { tags: 'long' }, async () => {
  const create = writeGuide();
  const page = at('report.html');
  const made = await runCommand(create('-f', 'jsonl', '--call-log', at('calls.jsonl'), '--report', page, '--json'));
  const { exported, total, stages } = JSON.parse(made.stdout) as {
    readonly exported: string;
    readonly total: StageCounts;
    readonly stages: readonly (StageCounts & { readonly stage: string; readonly records: number })[];
  };
  expect(stages.map(({ stage, records, missing }) => [stage, records, missing])).toEqual([
    ['topics', 4, 0],
    ['answers', stages[1]?.requests, 0],
    ['sheets', stages[2]?.records, 0],
  ]);
  expect(total.requests).toBe(stages.reduce((sum, { requests }) => sum + requests, 0));
  expect(total.rows).toBe(stages.reduce((sum, { records }) => sum + records, 0));
  expect(exported).toBe(at('qa', 'qa.jsonl'));
  expect(readFileSync(exported, 'utf8').trimEnd().split('\n')).toHaveLength(stages[2]?.records ?? 0);
  const calls = readFileSync(at('calls.jsonl'), 'utf8').trimEnd().split('\n');
  const named = calls.map((line) => (JSON.parse(line) as { readonly stage: string }).stage);
  expect(new Set(named)).toEqual(new Set(['topics', 'answers']));
  expect(named.filter((stage) => stage === 'topics')).toHaveLength(stages[0]?.requests ?? 0);
  const html = readFileSync(page, 'utf8');
  expect(html.match(/<article id="stage-[^"]+/g)).toEqual(
    ['topics', 'answers', 'sheets'].map((stage) => `<article id="stage-${stage}`),
  );
  expect(html).toContain('<th scope="row">total</th>');

  const loaded = await loadWorkflow(at('qa'));
  expect(loaded.summary.total).toEqual({ ...total, seconds: expect.closeTo(total.seconds ?? -1) });
  expect(await Array.fromAsync(loaded.records())).toHaveLength(stages[2]?.records ?? 0);
  const analysis = await loaded.loadWorkflowAnalysis();
  expect([...analysis.profiles].map(([stage, { records }]) => [stage, records])).toEqual(
    stages.map(({ stage, records }) => [stage, records]),
  );
  const text = await analysis.toReport({ includeSections: ['overview'] });
  expect(text.match(/^Profile of .*$/gm)).toHaveLength(3);
  expect(text).toMatch(/^total +\d/m);
  await expect(loadWorkflow(folder)).rejects.toMatchObject({ code: 'dataset/missing' });
});

test(
  'a preview makes a few rows of every stage, without the rows that stages ask for, and leaves no folder',
  { tags: 'long' },
  async () => {
    const create = writeGuide();
    writeFileSync(
      at('flow.yaml'),
      readFileSync(at('flow.yaml'), 'utf8').replace('expand: questions', 'expand: questions, rows: 50'),
    );
    const preview = ['preview', ...create().slice(1, 2), ...create().slice(4), '-n', '1'];
    const before = readdirSync(folder);
    const shown = await runCommand(preview);
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringMatching(/Stage 'topics': 1 of 1 record\n[^]*Stage 'sheets': 1 of 1 record\n/),
    ]);
    const { stages } = JSON.parse((await runCommand([...preview, '--json'])).stdout) as {
      readonly stages: readonly { readonly stage: string; readonly records: readonly Record<string, unknown>[] }[];
    };
    const [topics, items, sheets] = stages.map(({ records }) => records);
    expect(items?.map(({ questions }) => questions)).toEqual(topics?.[0]?.['questions']);
    expect(sheets?.[0]?.['answer']).toEqual(items?.map(({ answer }) => answer));
    expect(readdirSync(folder)).toEqual(before);
    const refused = await runCommand([...preview, '--save-results']);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('--save-results is for a single config'),
    ]);
    const arrow = await runCommand(create('-f', 'arrow'));
    expect([arrow.code, arrow.stderr]).toEqual([2, expect.stringContaining('--format arrow is for a single config')]);
    expect((await runCommand(create('--targets', ','))).stderr).toContain('targets is empty');
    writeFileSync(at('flow.yaml'), 'stages: topics.yaml');
    expect((await runCommand(create())).stderr).toContain('stages: ');
  },
);

test(
  'after Ctrl-C the command names the saved rows of each stage and the command that continues',
  { tags: 'long' },
  async () => {
    const create = writeGuide();
    const env = { DATA_DESIGNER_SKIP_MODEL_HEALTH_CHECKS: '1' };
    const before = await answers();
    await simulator.holdAfter(4 + 2);
    const run = startDataDesigner(create(), env);
    const isHeld = async () => (await answers()) >= before + 4 + 2;
    while (run.child.exitCode === null && !(await isHeld())) await sleep(10);
    run.child.kill('SIGINT');
    while (run.child.exitCode === null && !run.said().includes('Waiting up to')) await sleep(10);
    await simulator.release();
    const { code, stderr } = await run.finished;
    expect(code).toBe(130);
    const hint =
      /Saved rows of each stage: topics: 4 of 4 rows; answers: (\d+) of (\d+) rows; sheets: not begun\. Continue with: npx data-designer (.*)/.exec(
        stderr,
      );
    const bought = await answers();
    const resumed = await runCommand(hint?.[3]?.split(' ') ?? [], { env });
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining("records of 'sheets'")]);
    expect(await answers()).toBeLessThanOrEqual(bought + Number(hint?.[2]) - Number(hint?.[1]));
    expect(resumed.stderr).toContain("Stage 'topics': unchanged");
  },
);

test('the command line checks a workflow, and names the stage of a mistake', { tags: 'long' }, async () => {
  const create = writeGuide();
  const valid = await runCommand(['validate', at('flow.yaml'), '--providers', at('providers.yaml')]);
  const rehearse = ['rehearse', at('flow.yaml'), '--providers', at('providers.yaml'), '-n', '6', '--latency', '1'];
  const rehearsed = await runCommand(rehearse);
  expect(rehearsed.stdout.match(/^(topics|answers|sheets|total) .*$/gm)).toHaveLength(4);
  expect(rehearsed.stdout).toContain("rehearsed rows of 'topics' expand to");
  expect(valid.stdout).toContain("Stage 'sheets' is valid: topic, questions, answer");
  writeFileSync(at('flow.yaml'), 'stages: [{ name: a, config: topics.yaml, row: 3 }]');
  const misspelt = await runCommand(create());
  expect(misspelt.stderr).toContain("unknown key 'row'. Did you mean 'rows'?");
  const stages = ['topics', 'answers', 'gone'].map((name) => `{ name: ${name}, config: ${name}.yaml }`);
  const late = `{ name: late, config: { columns: [{ name: x, column_type: expression, expr: '{{ answr }}' }] } }`;
  for (const [name, word, wrong] of [
    ['topics', '{{ topic }}', '{{ topik }}'],
    ['answers', 'prompt:', 'promt:'],
  ] as const)
    writeFileSync(at(`${name}.yaml`), readFileSync(at(`${name}.yaml`), 'utf8').replace(word, wrong));
  const validate = ['validate', at('flow.yaml'), '--providers', at('providers.yaml')];
  writeFileSync(at('flow.yaml'), `stages: [${[...stages.slice(0, 2), late].join(', ')}]`);
  const all = await runCommand(validate);
  expect(all.code).toBe(1);
  expect(all.stdout.match(/^Error: .*$/gm)).toEqual([
    expect.stringMatching(/topics\.yaml:\d+:\d+: stage 'topics', columns\[1\]\.prompt: there is no column 'topik'/),
    expect.stringMatching(/answers\.yaml:\d+:\d+: stage 'answers', columns\[0\]\.promt: unknown key 'promt'/),
    expect.stringMatching(/flow\.yaml:1:\d+: stage 'late', columns\[0\]\.expr: there is no column 'answr'/),
  ]);
  expect(all.stdout).toContain('flow.yaml has 3 mistakes.');
  writeFileSync(at('flow.yaml'), `stages: [${[...stages, late].join(', ')}]`);
  const json = JSON.parse((await runCommand([...validate, '--json'])).stdout) as {
    readonly error: { readonly code: string };
  };
  expect(json).toMatchObject({ valid: false, error: { code: 'config/unreadable' } });
  const single = await runCommand(['create', at('topics.yaml'), '--targets', 'a']);
  expect([single.code, single.stderr]).toEqual([2, expect.stringContaining('need a workflow')]);
});
