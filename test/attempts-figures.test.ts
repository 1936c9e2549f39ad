import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateOptions, DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnsweringServer, completion, openAnsweringServer, reply } from './answering-server.ts';

let folder: string;
let server: AnsweringServer;
let requests = 0;
/** The share of answers that are right. */
const P = 0.4;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attempts-figures-'));
  server = await openAnsweringServer((text, response) => {
    requests++;
    const { seed } = JSON.parse(text) as { seed?: number };
    const digest = createHash('sha256').update(`${seed}`).digest();
    if (text.includes('"broken"') && digest[1]! % 4 === 0) return reply(response, completion('no json'));
    if (text.includes('"broken"')) return reply(response, completion('{"points": 3}'));
    if (text.includes('"judge"')) return reply(response, completion(String(digest[4]! % 3)));
    return reply(response, completion(`${digest.readUInt32BE(0) / 2 ** 32 < P ? 'right' : 'wrong'} ${seed}`));
  });
});
afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

function designerOf(runConfig: object = {}) {
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: `${server.origin}/v1`, apiKey: 'key' }], tools: [] },
    runConfig: { seed: 3, maxConversationRestarts: 0, maxConversationCorrectionSteps: 0, ...runConfig },
  });
}

function solving() {
  const builder = new DataDesignerConfigBuilder();
  const pricing = { input: 1e6, output: 0 };
  for (const alias of ['solver', 'judge', 'broken'])
    builder.addModelConfig({ alias, model: alias, provider: 'own', pricing });
  return builder
    .addColumn({
      name: 'id',
      columnType: 'sampler',
      samplerType: 'uniform',
      params: { low: 0, high: 1e9 },
      convertTo: 'int',
    })
    .addColumn({ name: 'hint', columnType: 'llm-text', modelAlias: 'judge', prompt: 'Hint at {{ id }}.' })
    .addColumn({ name: 'solution', columnType: 'llm-text', modelAlias: 'solver', prompt: 'Solve {{ id }}.' })
    .addColumn({ name: 'passed', columnType: 'expression', expr: "{{ solution.startswith('right') }}", dtype: 'bool' });
}

const SOLVE = { name: 'solve', columns: ['solution', 'passed'], until: 'passed', max: 3 } as const;

async function create<D extends Parameters<DataDesigner['create']>[0]>(
  config: D,
  datasetName: string,
  { runConfig, ...more }: Partial<CreateOptions> & { readonly runConfig?: object } = {},
) {
  await using designer = designerOf(runConfig);
  const results = await designer.create(config, { numRecords: 120, datasetName, ...more });
  return { results, rows: await Array.fromAsync(results.records()) };
}

const metadataOf = (name: string) =>
  JSON.parse(readFileSync(join(folder, name, 'metadata.json'), 'utf8')) as Record<string, unknown>;

test('a dataset has the attempts of each block: accepted rows by attempt, the others by reason, and their cost', async () => {
  requests = 0;
  const { results, rows } = await create(solving().addAttempts(SOLVE), 'first');
  const { solve } = results.attempts;
  const acceptedAt = [1, 2, 3].map((number) => rows.filter((row) => row.solve__attempts === number).length);
  const lost = 120 - rows.length;
  const attempts = acceptedAt.reduce((sum, count, at) => sum + count * (at + 1), 3 * lost);
  expect(lost).toBeGreaterThan(0);
  expect(requests).toBe(attempts + 120);
  const [one = 0, two = 0, three = 0] = acceptedAt;
  expect(solve).toEqual({
    keep: 'first',
    max: 3,
    rows: 120,
    attempts,
    failedAttempts: 0,
    accepted: rows.length,
    acceptedAt,
    passAt: [one / 120, (one + two) / 120, (one + two + three) / 120],
    passRate: rows.length / attempts,
    exhausted: [
      {
        kind: 'refused',
        reason: 'passed = false',
        rows: lost,
        row: expect.any(Number),
        verdict: "'until' refused passed = false.",
      },
    ],
    attemptsPerAccepted: attempts / rows.length,
    // Each answer costs 1, and the hints are outside of the block.
    costPerAccepted: attempts / rows.length,
  });
  expect(metadataOf('first')['attempts']).toEqual({ solve });
});
