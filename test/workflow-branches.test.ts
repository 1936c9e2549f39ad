import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder, type WorkflowEvent } from 'data-designer';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';

const ROWS = 6;
const AT_A_TIME = 3;

let simulator: RunningSimulator;
/** Refuses every request. */
let closed: Server;
let root: string;
let folder: string;
let tests = 0;

beforeAll(async () => {
  simulator = await startSimulator();
  root = mkdtempSync(join(tmpdir(), 'workflow-branches-'));
  closed = createServer((_, response) => response.writeHead(401, { 'content-type': 'application/json' }).end('{}'));
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
  closed.close();
  rmSync(root, { recursive: true });
});

beforeEach(() => {
  folder = join(root, String(tests++));
  mkdirSync(folder);
});

const answers = async () => (await simulator.stats()).answers;

/** A model that takes a few requests at a time, each at a price. */
const writer = (alias: string, provider: string) => ({
  alias,
  model: 'sim-small',
  provider,
  skipHealthCheck: true,
  pricing: { input: 1_000_000, output: 0 },
  inferenceParameters: { maxParallelRequests: AT_A_TIME },
});

/** Two branches, each with a writer: of the same provider, or of two. */
function branches({ maxCost, other = 'own' }: { readonly maxCost?: number; readonly other?: string } = {}) {
  const models = [
    { name: 'own', endpoint: simulator.url },
    { name: 'closed', endpoint: `http://127.0.0.1:${(closed.address() as AddressInfo).port}/v1` },
  ];
  const designer = new DataDesigner({
    artifactPath: folder,
    providers: {
      models: other === 'mended' ? models.map((one) => ({ ...one, endpoint: simulator.url })) : models,
      tools: [],
    },
    runConfig: { seed: 5, ...(maxCost !== undefined && { maxCost }) },
  });
  const topics = new DataDesignerConfigBuilder()
    .addModelConfig(writer('one', 'own'))
    .addModelConfig(writer('two', other === 'own' ? 'own' : 'closed'))
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} });
  return designer
    .composeWorkflow('branches')
    .addStage('topics', topics, { rows: ROWS })
    .addStage('left', (from) =>
      from.builder().addColumn({ name: 'l', columnType: 'llm-text', modelAlias: 'one', prompt: 'Left of {{ id }}' }),
    )
    .addStage(
      'right',
      (from) =>
        from.builder().addColumn({ name: 'r', columnType: 'llm-text', modelAlias: 'two', prompt: 'Right of {{ id }}' }),
      { from: 'topics' },
    );
}

test('branches run side by side, and together below the limit of their model', async () => {
  const before = await answers();
  await simulator.holdAfter(0);
  const started: string[] = [];
  const bothStarted = Promise.withResolvers<void>();
  const onEvent = (event: WorkflowEvent): void => {
    if (event.type === 'stage-start' && started.push(event.stage) === 3) bothStarted.resolve();
  };
  const run = branches().run({ onEvent });
  await bothStarted.promise;
  try {
    await expect.poll(async () => (await simulator.stats()).inFlight, { timeout: 30_000 }).toBe(AT_A_TIME);
  } finally {
    await simulator.release();
  }
  expect(started.toSorted()).toEqual(['left', 'right', 'topics']);
  const results = await run;
  expect([...results.keys()]).toEqual(['topics', 'left', 'right']);
  expect(await answers()).toBe(before + 2 * ROWS);
  expect((await simulator.stats()).maxInFlight).toBe(AT_A_TIME);
});

test('one budget holds for branches that run at the same time', { tags: 'long' }, async () => {
  const whole = await branches().run();
  const left = whole.stageResults.get('left')!.cost!;
  rmSync(folder, { recursive: true });
  // Either branch alone would stay below it.
  const results = await branches({ maxCost: left * 1.2 }).run();
  expect(results.ended?.code).toBe('run/budget-spent');
  const bought = await answers();
  const resumed = await branches().run({ resume: 'always' });
  expect(resumed.ended).toBe(null);
  expect(resumed.cost).toBe(whole.cost);
  expect((await answers()) - bought).toBeLessThan(ROWS + AT_A_TIME);
});

test('a branch that fails drains the other, and a resume requests no answer again', { tags: 'long' }, async () => {
  const before = await answers();
  await expect(branches({ other: 'closed' }).run()).rejects.toMatchObject({ code: expect.stringMatching(/^model\//) });
  const resumed = await branches({ other: 'mended' }).run({ resume: 'always' });
  expect([...resumed.stageResults.values()].map(({ count }) => count)).toEqual([ROWS, ROWS, ROWS]);
  expect(await answers()).toBe(before + 2 * ROWS);
});

test(
  'images of an earlier stage are in the folders of all stages that have their paths',
  { tags: 'long' },
  async () => {
    const painter = new DataDesignerConfigBuilder()
      .addModelConfig({
        alias: 'painter',
        model: 'sim-image',
        provider: 'own',
        inferenceParameters: { generationType: 'image' },
      })
      .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
      .addColumn({ name: 'picture', columnType: 'image', modelAlias: 'painter', prompt: 'Paint {{ id }}' });
    const designer = new DataDesigner({
      artifactPath: folder,
      providers: { models: [{ name: 'own', endpoint: simulator.url }], tools: [] },
    });
    const results = await designer
      .composeWorkflow('pictures')
      .addStage('painted', painter, { rows: 2 })
      .addStage('kept', (from) => from.builder())
      .addStage('grouped', (from) => from.builder(), { group: { by: 'id', collect: ['picture'] } })
      .run();
    const rows = await Array.fromAsync(results.records());
    const paths = rows.flatMap(({ picture }) => picture as unknown as string[]).flat();
    expect(paths).toHaveLength(2);
    for (const stage of ['painted', 'kept', 'grouped'])
      for (const path of paths) expect(existsSync(join(results.getStageOutputPath(stage), path))).toBe(true);
  },
);
