import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateOptions, DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterAll, beforeAll, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';

let folder: string;
let server: AnsweringServer;
/** How often each request came. */
let asked: Map<string, number>;
/** How often the model third-time was asked for each row. */
let triesByRow: Map<string, number>;

/** The share of answers that are right. */
const P = 0.4;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attempts-'));
  server = await openAnsweringServer((text, response) => {
    asked.set(text, (asked.get(text) ?? 0) + 1);
    const { seed } = JSON.parse(text) as { seed?: number };
    const digest = createHash('sha256').update(`${seed}`).digest();
    if (text.includes('"third-time"')) {
      const [, row = ''] = /Grade (\d+)/.exec(text) ?? [];
      const times = (triesByRow.get(row) ?? 0) + 1;
      triesByRow.set(row, times);
      return reply(response, completion(times < 3 ? 'no json' : '{"points":1}'));
    }
    if (text.includes('"broken"') && digest[1]! % 2 === 0) return reply(response, completion('no json'));
    const isRight = digest.readUInt32BE(0) / 2 ** 32 < P;
    const points = digest[4]! % 5;
    if (text.includes('"broken"')) return reply(response, completion(JSON.stringify({ points })));
    return reply(
      response,
      completion(text.includes('"judge"') ? String(points) : `${isRight ? 'right' : 'wrong'} ${seed}`),
    );
  });
});
beforeEach(() => {
  asked = new Map();
  triesByRow = new Map();
});
afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

function designerOf(runConfig: object = {}) {
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: `${server.origin}/v1`, apiKey: 'key' }], tools: [] },
    runConfig: { seed: 3, maxConversationRestarts: 0, ...runConfig },
  });
}

function solving() {
  const builder = new DataDesignerConfigBuilder();
  for (const alias of ['solver', 'judge', 'broken']) builder.addModelConfig({ alias, model: alias, provider: 'own' });
  return builder
    .addColumn({
      name: 'id',
      columnType: 'sampler',
      samplerType: 'uniform',
      params: { low: 0, high: 1e9 },
      convertTo: 'int',
    })
    .addColumn({ name: 'solution', columnType: 'llm-text', modelAlias: 'solver', prompt: 'Solve {{ id }}.' })
    .addColumn({ name: 'passed', columnType: 'expression', expr: "{{ solution.startswith('right') }}", dtype: 'bool' })
    .addColumn({ name: 'after', columnType: 'expression', expr: '{{ solution }} after {{ solve__attempts }}' });
}

const SOLVE = { name: 'solve', columns: ['solution', 'passed'], until: '{{ passed }}', max: 8 } as const;

async function create<D extends Parameters<DataDesigner['create']>[0]>(
  config: D,
  datasetName: string,
  { runConfig, ...more }: Partial<CreateOptions> & { readonly runConfig?: object } = {},
) {
  await using designer = designerOf(runConfig);
  const results = await designer.create(config, { numRecords: 150, datasetName, ...more });
  return { results, rows: await Array.fromAsync(results.records()) };
}

test('a condition that validate accepts runs, however deep its tree', { tags: 'long' }, async () => {
  const until =
    'solution | trim | trim | length > 0 and passed and id != 1 and (id == 2 or solution | lower | trim | length != 1)';
  const config = solving().addAttempts({ ...SOLVE, until, onExhausted: 'drop_row' });
  const { rows } = await create(config, 'deep', { numRecords: 5 });
  expect(rows.every(({ passed }) => passed)).toBe(true);
});

test(
  'a row is tried again until an attempt is accepted; each has a seed of its own, and rows without one are lost',
  { tags: 'long' },
  async () => {
    const config = solving().addAttempts({ ...SOLVE, onExhausted: 'drop_row' });
    await using designer = designerOf();
    const results = await designer.create(config, { numRecords: 1000, datasetName: 'first' });
    const rows = await Array.fromAsync(results.records());
    expectTypeOf(rows[0]!.solve__attempts).toEqualTypeOf<number>();
    expectTypeOf(rows[0]!.solution).toEqualTypeOf<string>();
    for (const { solution, passed, solve__attempts: attempts, after } of rows) {
      expect([passed, solution.startsWith('right')]).toEqual([true, true]);
      expect(after).toBe(`${solution} after ${attempts}`);
    }
    // 1 - 0.6 ^ 8 of the rows, within four standard deviations.
    expect(rows.length / 1000).toBeGreaterThan(0.983 - 0.017);
    expect(rows.length / 1000).toBeLessThan(0.983 + 0.017);
    expect(asked.size).toBe([...asked.values()].reduce((sum, count) => sum + count, 0));
    expect(asked.size / 1000).toBeCloseTo((1 - 0.6 ** 8) / 0.4, 0);
    const lost = 1000 - rows.length;
    expect(results.lost).toMatchObject([{ column: 'solve', code: 'attempts/exhausted', rows: lost }]);
    const failures = readFileSync(join(folder, 'first', 'failures.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(failures).toHaveLength(lost);
  },
);

test(
  'a killed run keeps the same attempts, and asks for none of the journaled ones again; threads do not matter',
  { tags: 'long' },
  async () => {
    const config = solving().addAttempts(SOLVE);
    const whole = await create(config, 'whole');
    const once = new Map(asked);
    asked.clear();
    const stop = new AbortController();
    let isStopped = false;
    const partly = create(config, 'stopped', {
      signal: stop.signal,
      onEvent: () => {
        if (asked.size < 120 || isStopped) return;
        isStopped = true;
        stop.abort();
      },
    });
    await expect(partly).rejects.toMatchObject({ code: 'run/aborted' });
    const again = await create(config, 'stopped', { resume: 'always', runConfig: { bufferSize: 7 } });
    expect(again.rows).toEqual(whole.rows);
    expect(new Set(asked.keys())).toEqual(new Set(once.keys()));
    // Only what was under way at the stop comes twice.
    const twice = [...asked.values()].filter((count) => count > 1).length;
    expect(twice).toBeLessThanOrEqual(8);
    const small = await create(config, 'small', { runConfig: { bufferSize: 11 } });
    expect(small.rows).toEqual(whole.rows);
  },
);

function judged() {
  return solving().addColumn({
    name: 'points',
    columnType: 'llm-text',
    modelAlias: 'judge',
    prompt: 'Judge {{ solution }}',
  });
}

const JUDGED = { name: 'solve', columns: ['solution', 'passed', 'points'], max: 4 } as const;

test('best, pair and all make all attempts, and keep what they say', { tags: 'long' }, async () => {
  const numRecords = 100;
  const { rows: all } = await create(judged().addAttempts({ ...JUDGED, keep: 'all' }), 'all', { numRecords });
  expect(asked.size).toBe(numRecords * 4 * 2);
  for (const row of all) {
    expectTypeOf(row.solve__all[0]!.points).toEqualTypeOf<string>();
    expect(row.solve__attempts).toBe(4);
    expect(new Set(row.solve__all.map(({ solution }) => solution)).size).toBe(4);
    expect(row.solve__all[0]).toEqual({ solution: row.solution, passed: row.passed, points: row.points });
  }
  const scores = new Map(all.map(({ id, solve__all: tries }) => [id, tries.map(({ points }) => Number(points))]));
  const best = judged().addAttempts({ ...JUDGED, keep: { best: '{{ points }}' } });
  for (const row of (await create(best, 'best', { numRecords })).rows) {
    expectTypeOf(row.solve__score).toEqualTypeOf<number>();
    expect([row.solve__score, Number(row.points)]).toEqual([Math.max(...scores.get(row.id)!), row.solve__score]);
  }
  const pair = judged().addAttempts({ ...JUDGED, keep: { pair: 'points' } });
  const { rows: pairs, results } = await create(pair, 'pair', { numRecords });
  for (const row of pairs) {
    expectTypeOf(row.solve__chosen.solution).toEqualTypeOf<string>();
    const given = scores.get(row.id)!;
    expect([row.solve__chosen.score, row.solve__rejected.score]).toEqual([Math.max(...given), Math.min(...given)]);
    expect(row.solve__chosen).toMatchObject({ solution: row.solution, points: row.points });
    expect(row.solve__rejected.solution).not.toBe(row.solution);
  }
  const equal = [...scores.values()].filter((one) => new Set(one).size === 1).length;
  expect(pairs.length).toBe(numRecords - equal);
  expect(results.lost.map(({ column, code, rows }) => [column, code, rows])).toEqual(
    equal > 0 ? [['solve', 'attempts/exhausted', equal]] : [],
  );
});

test(
  'a cell that fails by its answers ends its attempt alone; a row may stay without an accepted one',
  { tags: 'long' },
  async () => {
    const points = { type: 'object', properties: { points: { type: 'integer' } }, required: ['points'] };
    const failing = (onExhausted: 'keep_last' | 'null', max: number) =>
      solving()
        .addColumn({
          name: 'grade',
          columnType: 'llm-structured',
          modelAlias: 'broken',
          prompt: 'Grade {{ solution }}',
          outputFormat: points,
        })
        .addAttempts({
          name: 'solve',
          columns: ['solution', 'passed', 'grade'],
          until: 'passed and grade.points >= 0',
          max,
          onExhausted,
        });
    const { rows } = await create(failing('null', 3), 'nulls', {
      runConfig: { maxConversationCorrectionSteps: 0, disableEarlyShutdown: true },
    });
    expect(rows).toHaveLength(150);
    const without = rows.filter(({ solution }) => solution === null);
    expect(without.length).toBeGreaterThan(50);
    for (const row of without) expect([row.passed, row.grade, row.solve__attempts]).toEqual([null, null, 3]);
    for (const { solution, passed, grade } of rows.filter((row) => row.solution !== null))
      expect([solution?.startsWith('right'), passed, (grade as { points: number }).points >= 0]).toEqual([
        true,
        true,
        true,
      ]);
    const kept = await create(failing('keep_last', 3), 'kept', {
      runConfig: { maxConversationCorrectionSteps: 0, disableEarlyShutdown: true },
    });
    expect(kept.rows.filter(({ solution }) => solution?.startsWith('wrong')).length).toBeGreaterThan(0);
    expect(kept.results.failedCells).toMatchObject([{ column: 'solve', code: 'attempts/exhausted' }]);
  },
);

/** Rows whose block is right in the third attempt. */
function thirdTime(max: number, onExhausted: 'drop_row' | 'keep_last') {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'third-time', model: 'third-time', provider: 'own' })
    .addColumn({
      name: 'id',
      columnType: 'sampler',
      samplerType: 'uniform',
      params: { low: 0, high: 1e9 },
      convertTo: 'int',
    })
    .addColumn({
      name: 'grade',
      columnType: 'llm-structured',
      modelAlias: 'third-time',
      prompt: 'Grade {{ id }}',
      outputFormat: { type: 'object', properties: { points: { type: 'integer' } }, required: ['points'] },
    })
    .addAttempts({ name: 'solve', columns: ['grade'], until: 'grade.points == 1', max, onExhausted });
}

test('failed attempts end no run whose rows are accepted later', async () => {
  const runConfig = { maxConversationCorrectionSteps: 0 };
  const { rows, results } = await create(thirdTime(3, 'drop_row'), 'third', { numRecords: 40, runConfig });
  expect([rows.length, results.ended]).toEqual([40, null]);
  expect(rows.map(({ id }) => triesByRow.get(String(id)))).toEqual(rows.map(() => 3));
});

test('a run whose blocks all end without an attempt that has values stops early', async () => {
  const runConfig = { maxConversationCorrectionSteps: 0, bufferSize: 5 };
  const options = { numRecords: 100, runConfig };
  const { rows, results } = await create(thirdTime(2, 'keep_last'), 'never', options);
  expect(results.ended).toMatchObject({ code: 'run/stopped-early' });
  expect(results.ended?.message).toContain("cells of column 'grade' failed");
  expect(rows.length).toBeLessThan(100);
});

test.each([
  [{ columns: ['id'] }, 'attempts[0].columns[0]', 'is an input'],
  [{ columns: ['nobody'] }, 'attempts[0].columns[0]', "there is no column 'nobody'"],
  [{ columns: ['solution', 'solution'] }, 'attempts[0].columns[1]', 'is named twice'],
  [{ columns: ['solution', 'passed', 'after'] }, 'attempts[0].columns[2]', 'which is known once all attempts are made'],
  [{ until: 'id > 5' }, 'attempts[0].until', 'refers to no column of the block'],
  [{ until: 'nothing.at.all' }, 'attempts[0].until', "there is no column 'nothing'"],
  [{ until: null }, 'attempts[0]', "the key 'until' is missing"],
  [{ keep: 'all' }, 'attempts[0].until', 'has no effect'],
  [{ keep: { pair: 'id' }, until: null }, 'attempts[0].keep.pair', 'refers to no column of the block'],
  [{ max: 0 }, 'attempts[0].max', ''],
] as const)('a mistake in a block is told before the first request: %o', async (changes, path, message) => {
  await using designer = designerOf();
  const document = { ...(solving().document as object), attempts: [{ ...SOLVE, ...changes }] };
  const { violations } = await designer.check({ document, source: 'test' });
  const found = violations.filter(({ level }) => level === 'ERROR');
  expect(found.map((one) => one.path)).toContain(path);
  expect(found.map((one) => one.message).join()).toContain(message);
});

test('blocks must not overlap, nor leave out a column between theirs; models at temperature 0 are a warning', async () => {
  await using designer = designerOf();
  const check = async (config: { readonly document: unknown; readonly source: string }) =>
    (await designer.check(config as ReturnType<typeof solving>)).violations.map(
      ({ type, level }) => `${level} ${type}`,
    );
  const two = solving()
    .addAttempts(SOLVE)
    .addAttempts({ ...SOLVE, name: 'again' });
  expect(await check(two)).toContain('ERROR overlapping_attempts');
  const between = solving()
    .addColumn({ name: 'last', columnType: 'expression', expr: '{{ after2 }}' })
    .addColumn({ name: 'after2', columnType: 'expression', expr: '{{ solution }}' })
    .addAttempts({ ...SOLVE, columns: ['solution', 'passed', 'last'] });
  expect(await check(between)).toContain('ERROR column_between');
  const cold = solving().addAttempts(SOLVE);
  cold
    .deleteModelConfig('solver')
    .addModelConfig({ alias: 'solver', model: 'solver', provider: 'own', inferenceParameters: { temperature: 0 } });
  expect(await check(cold)).toEqual(['WARNING cold_attempts']);
});
