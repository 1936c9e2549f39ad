import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { type AnsweringServer, openAnsweringServer } from '@data-designer/testing/answering-server';
import { runCommand } from './command-line.ts';

let folder: string;
let simulator: RunningSimulator;
/** Passes requests on to the simulator. */
let server: AnsweringServer;
let bodies: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'row-schemas-'));
  simulator = await startSimulator();
  server = await openAnsweringServer(async (body, response, { url, headers }) => {
    bodies.push(body);
    const given = Object.entries(headers).filter(([name]) => /^(authorization|x-api-key|anthropic-.*)$/.test(name));
    const own = { 'content-type': 'application/json', ...(Object.fromEntries(given) as Record<string, string>) };
    const answer = await fetch(`${simulator.origin}${url}`, { method: 'POST', body, headers: own });
    const { status } = answer;
    response.writeHead(status, { 'content-type': 'application/json' }).end(await answer.text());
  });
});

beforeEach(() => {
  bodies = [];
});

afterAll(async () => {
  server[Symbol.dispose]();
  await simulator[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const CITY = {
  type: 'object',
  properties: { city: { type: 'string' }, people: { type: 'integer', minimum: 5 } },
  required: ['city', 'people'],
};
const LIST = { type: 'array', items: { enum: ['red', 'blue'] }, minItems: 1, maxItems: 3 };
const TREE = {
  $defs: { leaf: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } },
  type: 'object',
  properties: { leaf: { $ref: '#/$defs/leaf' } },
  required: ['leaf'],
};
const GOOD = [CITY, LIST, TREE].map((schema) => JSON.stringify(schema));
const HOSTILE = [
  'a city',
  JSON.stringify({ $ref: 'https://acme.example/city.json' }),
  JSON.stringify({ description: 'x'.repeat(5_000_000) }),
  `${'{"items":'.repeat(5000)}{}${'}'.repeat(5000)}`,
];

const rowsOf = (schemas: readonly unknown[]) => schemas.map((schema, n) => ({ n, schema }));

type Settings = NonNullable<ConstructorParameters<typeof DataDesigner>[0]>['runConfig'];

function designerOf(runConfig: Settings = {}, providerType: 'openai' | 'anthropic' | 'openai-responses' = 'openai') {
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: `${server.origin}/v1`, apiKey: 'key', providerType }], tools: [] },
    permissions: { privateAddresses: true },
    runConfig: { seed: 3, ...runConfig },
  });
}

function builderOf(schemas: readonly unknown[], { model = 'sim-small', template = '{{ schema }}' } = {}) {
  return new DataDesignerConfigBuilder({ modelConfigs: [{ alias: 'writer', model, provider: 'own' }] })
    .withSeedDataset({ seedType: 'df', rows: rowsOf(schemas) })
    .addColumn({
      name: 'card',
      columnType: 'llm-structured',
      modelAlias: 'writer',
      prompt: 'Card {{ n }}.',
      outputFormat: template,
    });
}

type Made = Readonly<Record<string, unknown>>;

/** The rows whose value is not valid by their own schema. */
function misfits(rows: readonly Made[]): readonly Made[] {
  const ajv = new Ajv2020({ strict: false });
  return rows.filter(({ schema, card }) => !ajv.validate(JSON.parse(String(schema)) as object, card));
}

/** The schemas that the requests for cells enforce, or describe, by the number of their card. */
function schemasSent(): readonly (readonly [card: string, sent: unknown, told: unknown])[] {
  return bodies.flatMap((body) => {
    const [, card] = /Card (\d+)\./.exec(body) ?? [];
    const [, shown = 'null'] = /<response_schema>\\n(.*?)\\n<\/response_schema>/.exec(body) ?? [];
    const request = JSON.parse(body) as {
      response_format?: { json_schema: { schema: unknown } };
      text?: { format?: { schema: unknown } };
    };
    const sent = request.response_format?.json_schema.schema ?? request.text?.format?.schema ?? null;
    return card === undefined ? [] : [[card, sent, JSON.parse(JSON.parse(`"${shown}"`) as string)] as const];
  });
}

/** The form in which a strict endpoint gets a schema: objects are closed. */
function enforcedForm(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const members = Object.entries(schema).map(([key, part]) => [key, enforcedForm(part)]);
  const closed = 'properties' in schema ? { additionalProperties: false } : {};
  return { ...(Object.fromEntries(members) as object), ...closed };
}

test.each(['openai', 'anthropic', 'openai-responses'] as const)(
  'with %s, each row is asked by its own schema, and a row without one costs itself only',
  async (protocol) => {
    await using designer = designerOf({}, protocol);
    const schemas = [...GOOD, ...HOSTILE];
    const results = await designer.create(builderOf(schemas), { numRecords: 7, datasetName: protocol });
    const rows = await Array.fromAsync(results.records());
    expect(rows.map(({ schema }) => schema)).toEqual(GOOD);
    expect(misfits(rows)).toEqual([]);
    expect(rows.map(({ card }) => Array.isArray(card))).toEqual([false, true, false]);
    const sent = schemasSent();
    expect(sent.map(([card]) => card).toSorted()).toEqual(['0', '1', '2']);
    for (const [card, enforced, told] of sent) {
      const own = JSON.parse(GOOD[Number(card)] ?? '') as object;
      expect(told).toEqual(own);
      expect(enforced).toEqual(protocol === 'anthropic' ? null : enforcedForm(own));
    }
    const failures = await Array.fromAsync(results.failures());
    expect(failures.map(({ code }) => code)).toEqual(HOSTILE.map(() => 'column/bad-schema'));
    const reasons = failures.map(({ message }) => message).join('\n');
    for (const part of ['is not JSON', "'https://acme.example/city.json'", '5,000,0', 'more than 100 levels']) {
      expect(reasons).toContain(part);
    }
  },
);

test('the column is JSON text with a mark, and exports and reports have its values', async () => {
  const path = join(folder, 'openai');
  const [file = ''] = readdirSync(join(path, 'parquet-files'));
  const buffer = await asyncBufferFromFile(join(path, 'parquet-files', file));
  const stored = await parquetReadObjects({ file: buffer, compressors });
  expect(stored.map(({ card }) => typeof card)).toEqual(['string', 'string', 'string']);
  const output = join(folder, 'cards.jsonl');
  expect(await runCommand(['export', path, '-o', output])).toMatchObject({ code: 0 });
  const lines = readFileSync(output, 'utf8').trim().split('\n');
  expect(misfits(lines.map((line) => JSON.parse(line) as Made))).toEqual([]);
  const page = join(folder, 'report.html');
  expect(await runCommand(['report', path, '--html', page])).toMatchObject({ code: 0 });
  expect(readFileSync(page, 'utf8')).toContain('card');
  const shown = await runCommand(['show', path, '-n', '1']);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('people') as string });
});

test('answers that break the schema of their row are corrected and asked again', { tags: 'long' }, async () => {
  await using designer = designerOf({ maxConversationCorrectionSteps: 2 });
  const wrong = builderOf([...GOOD, ...GOOD], { model: 'sim-wrong-schema-once' });
  const results = await designer.create(wrong, { numRecords: 6, datasetName: 'corrected' });
  const rows = await Array.fromAsync(results.records());
  expect(rows).toHaveLength(6);
  expect(misfits(rows)).toEqual([]);
  const corrections = bodies.filter((body) => body.includes("doesn't match requested"));
  expect(corrections.length).toBeGreaterThan(0);
  expect(bodies.length).toBeGreaterThan(6);
});

test('a run that is stopped sends no request twice when it is resumed', { tags: 'long' }, async () => {
  const schemas = Array.from({ length: 40 }, (_, n) =>
    n % 10 === 9
      ? 'none'
      : JSON.stringify({ type: 'object', properties: { [`f${n}`]: { const: n } }, required: [`f${n}`] }),
  );
  const options = { numRecords: 40, datasetName: 'stopped' } as const;
  await simulator.holdAfter(15);
  const stop = new AbortController();
  const designer = designerOf({ bufferSize: 40 });
  const made = designer.create(builderOf(schemas), { ...options, signal: stop.signal });
  await expect.poll(() => bodies.length, { timeout: 20_000 }).toBeGreaterThan(15);
  stop.abort();
  await made.catch(() => undefined);
  await simulator.release();
  await designer[Symbol.asyncDispose]();
  const before = schemasSent().map(([card]) => card);
  bodies = [];
  await using again = designerOf({ bufferSize: 40 });
  const results = await again.create(builderOf(schemas), { ...options, resume: 'always' });
  const rows = await Array.fromAsync(results.records());
  expect(rows).toHaveLength(36);
  expect(misfits(rows)).toEqual([]);
  expect((await Array.fromAsync(results.failures())).map(({ code }) => code)).toEqual(
    Array.from({ length: 4 }, () => 'column/bad-schema'),
  );
  const after = schemasSent().map(([card]) => card);
  // One of the 15 answers was that of the test request for structured output.
  expect(after.length).toBe(36 - 14);
  expect(new Set([...before, ...after]).size).toBe(36);
});

test('objects of a table, and schemas that another model writes, are schemas too', { tags: 'long' }, async () => {
  await using designer = designerOf();
  const results = await designer.create(builderOf([CITY, LIST]), { numRecords: 2, datasetName: 'objects' });
  const rows = await Array.fromAsync(results.records());
  expect(rows.map(({ card }) => Array.isArray(card))).toEqual([false, true]);
  const shape = { type: 'object', properties: { schema: { const: CITY } }, required: ['schema'] } as const;
  const chained = new DataDesignerConfigBuilder({
    modelConfigs: [{ alias: 'writer', model: 'sim-small', provider: 'own' }],
  })
    .addColumn({ name: 'kind', columnType: 'sampler', samplerType: 'category', params: { values: ['a', 'b'] } })
    .addColumn({
      name: 'task',
      columnType: 'llm-structured',
      modelAlias: 'writer',
      prompt: 'Task of {{ kind }}.',
      outputFormat: shape,
    })
    .addColumn({
      name: 'card',
      columnType: 'llm-structured',
      modelAlias: 'writer',
      prompt: 'Card of {{ kind }}.',
      outputFormat: '{{ task.schema }}',
    });
  const preview = await designer.preview(chained, { numRecords: 3 });
  for await (const row of preview.records()) expectTypeOf(row.card).toEqualTypeOf<unknown>();
  const previewed = await Array.fromAsync(preview.records());
  expect(previewed.map(({ card }) => card)).toEqual(
    previewed.map(() => ({ city: expect.any(String) as string, people: expect.any(Number) as number })),
  );
});

test('an attempts block asks by the schema of the row until an answer is accepted', async () => {
  await using designer = designerOf();
  const size = { type: 'object', properties: { size: { enum: ['small', 'large'] } }, required: ['size'] };
  const declared = builderOf(
    Array.from({ length: 6 }, (_, n) => JSON.stringify({ ...size, title: `Card ${n}` })),
  ).addAttempts({ name: 'tries', columns: ['card'], until: "card.size == 'small'", max: 12 });
  const results = await designer.create(declared, { numRecords: 6, datasetName: 'tries' });
  const rows = await Array.fromAsync(results.records());
  expect(rows.length).toBeGreaterThan(3);
  expect(rows.map(({ card }) => (card as { size: string }).size)).toEqual(rows.map(() => 'small'));
  expect(bodies.length).toBeGreaterThan(6);
});

function documentOf(output_format: string) {
  return {
    model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
    columns: [
      { name: 'schema', column_type: 'sampler', sampler_type: 'category', params: { values: GOOD } },
      { name: 'card', column_type: 'llm-structured', model_alias: 'writer', prompt: 'A card.', output_format },
    ],
  };
}

function writeConfig(name: string, output_format: string): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(documentOf(output_format)));
  return path;
}

test(
  'validate names an unknown reference and a text that is no template, and rehearse answers by the schemas',
  { tags: 'long' },
  async () => {
    const unknown = await runCommand(['validate', writeConfig('unknown.json', '{{ scheme }}')]);
    expect(unknown.code).toBe(1);
    expect(unknown.stdout + unknown.stderr).toMatch(/columns\[1\]\.output_format.*scheme/s);
    const plain = await runCommand(['validate', writeConfig('plain.json', 'schema')]);
    expect(plain.stdout + plain.stderr).toMatch(/'schema' is neither a JSON Schema nor a template.*\{\{ schema \}\}/s);
    const rehearsed = await runCommand([
      'rehearse',
      writeConfig('right.json', '{{ schema }}'),
      '-n',
      '6',
      '--latency',
      'uniform:0,0.01',
      '--json',
    ]);
    expect(rehearsed).toMatchObject({ code: 0 });
    expect(rehearsed.stdout).not.toContain('bad-schema');
  },
);
