import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectOfficial } from '../packages/mcp/test/official-client.ts';
import { type Finished, runCommand } from './command-line.ts';
import { npm, runProgram } from './npm.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const program = join(ROOT, 'packages', 'data-designer', 'bin', 'data-designer.js');
const NAME = 'plugin-of-steps';
const folder = mkdtempSync(join(tmpdir(), 'plugin-packages-'));
const project = join(folder, 'project');
const modules = join(project, 'node_modules');

/** Packs the example as a package that only `import` may load, and installs the package in a project of its own. */
beforeAll(async () => {
  const source = join(folder, NAME);
  mkdirSync(source);
  mkdirSync(modules, { recursive: true });
  const example = readFileSync(join(ROOT, 'configs', 'plugin', 'own-steps.ts'), 'utf8');
  writeFileSync(join(source, 'index.js'), example.replaceAll(' as const;', ';').replaceAll(' as string)', ')'));
  const manifest = { name: NAME, version: '1.0.0', type: 'module', exports: { '.': { import: './index.js' } } };
  writeFileSync(join(source, 'package.json'), JSON.stringify({ ...manifest, files: ['index.js'] }));
  await npm(['pack', '--pack-destination', folder], { cwd: source });
  await runProgram('tar', ['-xzf', join(folder, `${NAME}-1.0.0.tgz`), '-C', folder], { cwd: folder });
  cpSync(join(folder, 'package'), join(modules, NAME), { recursive: true });
  for (const name of ['data-designer', 'zod']) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  cpSync(join(ROOT, 'configs', 'plugin', 'steps.yaml'), join(project, 'steps.yaml'));
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true }));

function dataDesigner(...args: readonly string[]): Promise<Finished> {
  return runProgram(process.execPath, [program, ...args], { cwd: project });
}

const ROWS = [
  { root: 1, square: 1, said: 'THE ROOT OF 1 IS 1' },
  { root: 2, square: 4, said: 'THE ROOT OF 4 IS 2' },
];

test('a plug-in package is resolved from the working folder and imported by the worker threads', async () => {
  const common = ['--plugins', NAME, '--json'];
  const seen = await dataDesigner('preview', 'steps.yaml', '-n', '2', ...common);
  expect(seen.stderr).not.toContain('plug-in');
  expect((JSON.parse(seen.stdout) as { records: unknown }).records).toEqual(ROWS);
  const made = await runCommand(['create', 'steps.yaml', '-n', '2', '-d', 'steps', ...common], { cwd: project });
  expect(made.code).toBe(0);
  const resumed = ['create', 'steps.yaml', '-n', '4', '-d', 'steps', '--resume', 'always', ...common];
  expect((await runCommand(resumed, { cwd: project })).code).toBe(0);
});

test('a script makes and loads datasets with the plug-in', async () => {
  writeFileSync(
    join(project, 'make.mjs'),
    `import { DataDesigner, loadDataset } from 'data-designer';
    const plugins = ['${NAME}'];
    await using designer = new DataDesigner({ plugins, runConfig: { seed: 1 } });
    const declared = {
      document: {
        seed_config: { source: { seed_type: 'squares', count: 3 } },
        columns: [{ name: 'text', column_type: 'expression', expr: '{{ square }}' }],
        processors: [{ name: 'sizes', processor_type: 'lengths', columns: ['text'] }],
      },
      source: 'it',
    };
    const { path } = await designer.create(declared, { numRecords: 3, datasetName: 'script' });
    const results = await loadDataset(path, { plugins });
    const sizes = await Array.fromAsync(results.loadProcessorDataset('sizes'));
    console.log(JSON.stringify({ records: await Array.fromAsync(results.records()), sizes }));`,
  );
  const { stdout, stderr } = await runProgram(process.execPath, ['make.mjs'], {
    cwd: project,
  });
  expect(stderr).toBe('');
  const records = [1, 2, 3].map((root) => ({ text: String(root ** 2), root, square: root ** 2 }));
  expect(JSON.parse(stdout)).toEqual({ records, sizes: records.map(() => ({ text: 1 })) });
});

test('mcp serve offers the plug-in, but clients may not read its seeds', async () => {
  const flags = ['--plugins', join(modules, NAME, 'index.js'), '-o', join(folder, 'artifacts')];
  const args = [program, 'mcp', 'serve', project, ...flags];
  await using official = await connectOfficial({ command: process.execPath, args, env: { NO_COLOR: '1' } });
  const schemas = await official.call('list_column_types', { names: ['dataset'] });
  expect(schemas.content[0]?.text).toMatch(/"capitals".*"squares"|"squares".*"capitals"/);
  const made = await official.call('make_steps', { num_records: 2 });
  expect(made.structuredContent).toMatchObject({ records_shown: ROWS });
  const columns = [{ name: 'word', column_type: 'sampler', sampler_type: 'category', params: { values: ['moon'] } }];
  const processors = [{ name: 'loud', processor_type: 'capitals', columns: ['word'] }];
  const seen = await official.call('preview_config', { config: { columns, processors }, num_records: 1 });
  expect(seen.structuredContent).toMatchObject({ records: [{ word: 'MOON' }] });
  const seed_config = { source: { seed_type: 'squares', count: 2 } };
  const refused = await official.call('preview_config', { config: { columns, seed_config }, num_records: 1 });
  expect(refused.content[0]?.text).toContain('the seed of a plug-in');
});

test('without the plug-in its types are mistakes', async () => {
  const { code, stdout, stderr } = await runCommand(['validate', 'steps.yaml'], { cwd: project });
  expect(code).toBe(1);
  for (const type of ['squares', 'capitals']) expect(stdout + stderr).toContain(`unknown name '${type}'`);
});
