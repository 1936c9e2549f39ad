import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { customColumn, DataDesigner, DataDesignerConfigBuilder, functionOfModule } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';

let artifactPath: string;

beforeEach(() => {
  artifactPath = mkdtempSync(join(tmpdir(), 'formats-'));
});

afterEach(() => {
  rmSync(artifactPath, { recursive: true });
});

const ROWS = 6;
const MODULE = new URL('./custom-functions.ts', import.meta.url);

const outputFormats = {
  made: z.object({ title: z.string(), sizes: z.array(z.int()) }),
  text: z.string(),
  whole: z.int(),
  part: z.number(),
  isEven: z.boolean(),
  day: z.iso.date(),
  tags: z.array(z.string()),
  maybe: { type: ['integer', 'null'] },
  free: z.record(z.string(), z.unknown()),
};

function valuesAt(row: number) {
  return {
    made: { title: `t${row}`, sizes: [row, row + 1] },
    text: `x${row}`,
    whole: row,
    part: row / 2,
    isEven: row % 2 === 0,
    day: `2024-02-0${row + 1}`,
    tags: ['a', String(row)],
    maybe: row === 0 ? null : row,
    free: { [`k${row}`]: row },
  };
}

const sideEffectColumns = Object.keys(outputFormats).slice(1);
const everyKind = customColumn({
  sideEffectColumns,
  outputFormats,
  generate: (_, { cell }) => valuesAt(cell.rowIndex),
});

function start() {
  return new DataDesignerConfigBuilder().addColumn({
    name: 'topic',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['moon'] },
  });
}

const designer = (more: object = {}) => new DataDesigner({ artifactPath, runConfig: { seed: 4, ...more } });

test.each(['parquet', 'arrow'] as const)(
  'columns have their declared types in %s files',
  { tags: 'long' },
  async (format) => {
    const config = start().addColumn({ name: 'made', columnType: 'custom', generatorFunction: everyKind }).addColumn({
      name: 'read',
      columnType: 'expression',
      expr: '{{ made.sizes[1] + whole }} {{ part }} {{ tags[0] }}',
    });
    const results = await designer().create(config, { numRecords: ROWS, datasetName: 'd', format });
    const records = await Array.fromAsync(results.records());
    expect(records).toEqual(
      Array.from({ length: ROWS }, (_, row) => {
        const part = Number.isInteger(row / 2) ? `${row / 2}.0` : String(row / 2);
        return { topic: 'moon', ...valuesAt(row), read: `${row + 1 + row} ${part} a` };
      }),
    );
    const path = join(artifactPath, 'one.parquet');
    await results.export(path);
    const connection = await (await DuckDBInstance.create()).connect();
    const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM '${path}'`);
    const types = Object.fromEntries(
      described.getRowObjectsJson().map((row) => [row['column_name'], row['column_type']]),
    );
    connection.closeSync();
    expect(types).toMatchObject({
      made: 'STRUCT(title VARCHAR, sizes BIGINT[])',
      whole: 'BIGINT',
      part: 'DOUBLE',
      isEven: 'BOOLEAN',
      day: 'VARCHAR',
      tags: 'VARCHAR[]',
      maybe: 'BIGINT',
      free: 'VARCHAR',
    });
  },
);

const numberAt = (row: number) => ({ made: row === 2 ? 'two' : row });

test('a value of the wrong type fails its cell only, per row and in a full column', async () => {
  const one = customColumn({ outputFormats: { made: z.int() }, generate: (_, { cell }) => numberAt(cell.rowIndex) });
  const all = customColumn({
    outputFormats: { made: z.int() },
    generate: (_, { cells }) => cells.map(({ rowIndex }) => numberAt(rowIndex)),
  });
  for (const [generatorFunction, generationStrategy] of [
    [one, 'cell_by_cell'],
    [all, 'full_column'],
  ] as const) {
    const config = start().addColumn({ name: 'made', columnType: 'custom', generatorFunction, generationStrategy });
    const results = await designer().preview(config, { numRecords: ROWS });
    const records = await Array.fromAsync(results.records());
    expect(records.map(({ made }) => made)).toEqual([0, 1, 3, 4, 5]);
    const message = `'made' must be of type integer, but it is "two"`;
    expect(results.lost).toMatchObject([
      { column: 'made', code: 'column/bad-result', rows: 1, message: expect.stringContaining(message) as string },
    ]);
  }
});

test('the results of a module function are checked against the output format', async () => {
  const generate = functionOfModule<{ loud: string }>(MODULE, 'shout');
  const generator = customColumn({ requiredColumns: ['topic'], outputFormats: { loud: z.string().max(4) }, generate });
  const config = start().addColumn({ name: 'loud', columnType: 'custom', generatorFunction: generator });
  const preview = designer().preview(config, { numRecords: ROWS });
  await expect(preview).rejects.toThrow(/'loud' must NOT have more than 4 characters/);
});

function configOf(made: object) {
  const generatorFunction = customColumn({ outputFormats: { made }, generate: () => ({ made: 1 }) });
  return start().addColumn({ name: 'made', columnType: 'custom', generatorFunction });
}

test('a resume that would change the type of a column is refused without changes', { tags: 'long' }, async () => {
  const run = (made: object, numRecords: number) =>
    designer({ bufferSize: 5 }).create(configOf(made), { numRecords, datasetName: 'd', resume: 'if_possible' });
  await run(z.int(), 5);
  const refused = designer().create(configOf(z.number()), { numRecords: 10, datasetName: 'd', resume: 'always' });
  await expect(refused).rejects.toThrow(/the type of its column 'made' is/);
  expect((await run(z.int(), 10)).count).toBe(10);
});

test('a schema without a JSON Schema form is refused at its declaration', () => {
  expect(() => configOf(z.date())).toThrow(/outputFormats\.made: this zod schema cannot be converted to JSON Schema/);
});
