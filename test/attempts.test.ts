import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateOptions, DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterAll, beforeAll, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { type AnsweringServer, completion, openAnsweringServer, reply } from './answering-server.ts';

let folder: string;
let server: AnsweringServer;
/** How often each request came. */
let asked: Map<string, number>;

/** The share of answers that are right. */
const P = 0.4;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attempts-'));
  server = await openAnsweringServer((text, response) => {
    asked.set(text, (asked.get(text) ?? 0) + 1);
    const { seed } = JSON.parse(text) as { seed?: number };
    const digest = createHash('sha256').update(`${seed}`).digest();
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

async function create(
  config: ReturnType<typeof solving>,
  datasetName: string,
  more: Partial<CreateOptions> = {},
  runConfig = {},
) {
  await using designer = designerOf(runConfig);
  const results = await designer.create(config, { numRecords: 300, datasetName, ...more });
  return { results, rows: await Array.fromAsync(results.records()) };
}

test('a row is tried again until an attempt is accepted; each has a seed of its own, and rows without one are lost', async () => {
  const config = solving().addAttempts({ ...SOLVE, onExhausted: 'drop_row' });
  await using designer = designerOf();
  const results = await designer.create(config, { numRecords: 2000, datasetName: 'first' });
  const rows = await Array.fromAsync(results.records());
  expectTypeOf(rows[0]!.solve__attempts).toEqualTypeOf<number>();
  expectTypeOf(rows[0]!.solution).toEqualTypeOf<string>();
  for (const { solution, passed, solve__attempts: attempts, after } of rows) {
    expect([passed, solution.startsWith('right')]).toEqual([true, true]);
    expect(after).toBe(`${solution} after ${attempts}`);
  }
  // 1 - 0.6 ^ 8 of the rows, within four standard deviations.
  expect(rows.length / 2000).toBeGreaterThan(0.983 - 0.012);
  expect(rows.length / 2000).toBeLessThan(0.983 + 0.012);
  expect(asked.size).toBe([...asked.values()].reduce((sum, count) => sum + count, 0));
  expect(asked.size / 2000).toBeCloseTo((1 - 0.6 ** 8) / 0.4, 0);
  const lost = 2000 - rows.length;
  expect(results.lost).toMatchObject([{ column: 'solve', code: 'attempts/exhausted', rows: lost }]);
  const failures = readFileSync(join(folder, 'first', 'failures.jsonl'), 'utf8')
    .trim()
    .split('\n');
  expect(failures).toHaveLength(lost);
});
