import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configBuilderWith, DataDesigner } from 'data-designer';
import { afterAll, expect, expectTypeOf, test } from 'vitest';
import { plugin } from '../configs/plugin/own-columns.ts';
import { dataDesigner } from './command-line.ts';

const MODULE = new URL('../configs/plugin/own-columns.ts', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'plugins-'));
const designer = new DataDesigner({ plugins: [MODULE], runConfig: { seed: 4, bufferSize: 4 } });

afterAll(async () => {
  await designer[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** A module of this text, for plug-ins that are none. */
function moduleOf(text: string): string {
  const path = join(folder, `${Math.abs(text.length)}.mjs`);
  writeFileSync(path, text);
  return path;
}

const WORD = {
  name: 'word',
  columnType: 'sampler',
  samplerType: 'category',
  params: { values: ['moon', 'salt'] },
} as const;

test('column types and samplers of a plug-in are declared in a builder, and made in the workers', async () => {
  const Builder = configBuilderWith(plugin);
  const config = new Builder().addColumn(WORD).addColumn({ name: 'turned', columnType: 'backwards', of: 'word' });
  const results = await designer.preview(config, { numRecords: 8 });
  const records = await Array.fromAsync(results.records());
  for (const { word, turned } of records) expect(turned).toBe(Array.from(word).toReversed().join(''));
  expectTypeOf<(typeof records)[number]['turned']>().toEqualTypeOf<unknown>();
});

test('a plug-in is given to a command by a flag, its columns checked and made like others', async () => {
  const config = join('configs', 'plugin', 'words.yaml');
  const flags = ['--plugins', './configs/plugin/own-columns.ts', '--seed', '3', '--json'];
  const made = await dataDesigner(['preview', config, '-n', '4', ...flags]);
  expect(made.code).toBe(0);
  const { records } = JSON.parse(made.stdout) as { records: { word: string; turned: string; points: number }[] };
  for (const { word, turned, points } of records) {
    expect(turned).toBe(Array.from(word).toReversed().join(''));
    expect(points).toBeGreaterThanOrEqual(2);
    expect(points).toBeLessThanOrEqual(12);
  }
  const unknown = await dataDesigner(['validate', config]);
  expect(unknown.code).toBe(1);
  expect(unknown.stdout + unknown.stderr).toContain('backwards');
});

test('mistakes of its columns are told as of any others', async () => {
  const document = { columns: [{ name: 'a', column_type: 'backwards', of: 'ghost', times: 0 }] };
  const report = await designer.check({ document, source: 'the test' });
  expect(report.violations).toMatchObject([{ path: 'columns[0].times' }]);
  const ghost = { columns: [{ name: 'a', column_type: 'backwards', of: 'ghost' }] };
  expect((await designer.check({ document: ghost, source: 'the test' })).violations).toMatchObject([
    { type: 'unknown_column', path: 'columns[0].of' },
  ]);
});

test.each([
  ['a package that is not there', 'no-such-plugin-anywhere', /there is no package of that name/],
  ['a file that is not there', './no-such-plugin.ts', /cannot be imported/],
  ['a module without a plug-in', moduleOf('export const other = 1;'), /exports no 'plugin'/],
  ['a plug-in of another shape', moduleOf('export const plugin = { colums: [] };'), /its 'plugin' is none/],
  ['a column without a schema', moduleOf("export const plugin = { columns: [{ type: 'a' }] };"), /'a' has no schema/],
  ['a module that throws', moduleOf("throw new Error('broken for good');"), /broken for good/],
])('%s cannot be used', async (_, module, reason) => {
  const declared = { document: { columns: [] }, source: 'the test' };
  const check = async () => new DataDesigner({ plugins: [module] }).check(declared);
  await expect(check()).rejects.toMatchObject({
    code: 'plugin/unusable',
    message: expect.stringMatching(reason) as string,
  });
});

test('a name that is taken is refused', async () => {
  const twice = new DataDesigner({ plugins: [MODULE, MODULE] });
  const declared = { document: { columns: [] }, source: 'the test' };
  await expect(twice.check(declared)).rejects.toThrow(/adds the column type 'backwards', which is there already/);
});
