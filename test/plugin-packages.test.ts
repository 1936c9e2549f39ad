import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectOfficial } from '../packages/mcp/test/official-client.ts';
import { type Finished, runCommand } from './command-line.ts';
import { plugin as commandsPlugin } from '../configs/plugin/own-commands.ts';
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

test(
  'a plug-in package is resolved from the working folder and imported by the worker threads',
  { tags: 'long' },
  async () => {
    const common = ['--plugins', NAME, '--json'];
    const seen = await dataDesigner('preview', 'steps.yaml', '-n', '2', ...common);
    expect(seen.stderr).not.toContain('plug-in');
    expect((JSON.parse(seen.stdout) as { records: unknown }).records).toEqual(ROWS);
    const made = await runCommand(['create', 'steps.yaml', '-n', '2', '-d', 'steps', ...common], { cwd: project });
    expect(made.code).toBe(0);
    const resumed = ['create', 'steps.yaml', '-n', '4', '-d', 'steps', '--resume', 'always', ...common];
    expect((await runCommand(resumed, { cwd: project })).code).toBe(0);
  },
);

test('a script makes and loads datasets with the plug-in', { tags: 'long' }, async () => {
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

test('mcp serve offers the plug-in, but clients may not read its seeds', { tags: 'long' }, async () => {
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

/** Packs a plug-in with commands, and installs it under a name in the project. */
async function installCommands(name: string, manifest: object): Promise<void> {
  const source = join(folder, name);
  mkdirSync(source, { recursive: true });
  cpSync(join(ROOT, 'configs', 'plugin', 'own-commands.ts'), join(source, 'index.js'));
  const common = { name, version: '1.0.0', type: 'module', exports: './index.js', keywords: ['data-designer-plugin'] };
  writeFileSync(join(source, 'package.json'), JSON.stringify({ ...common, ...manifest }));
  await npm(['pack', '--pack-destination', folder], { cwd: source });
  rmSync(join(folder, 'package'), { recursive: true, force: true });
  await runProgram('tar', ['-xzf', join(folder, `${name}-1.0.0.tgz`), '-C', folder], { cwd: folder });
  cpSync(join(folder, 'package'), join(modules, name), { recursive: true });
  const dependencies = Object.fromEntries([...installed.add(name)].map((one) => [one, '1.0.0']));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ dependencies }));
}

const installed = new Set<string>();
const COMMANDS = { [Object.keys(commandsPlugin.commands ?? {}).join()]: 'Count the words of a column.' };

test(
  'an installed plug-in adds commands: in the help under its name, loaded when called, for the versions that it needs',
  { tags: 'long' },
  async () => {
    const works = { peerDependencies: { 'data-designer': '>=0.1.0' }, dataDesigner: { commands: COMMANDS } };
    await installCommands('plugin-of-counts', works);
    const made = await dataDesigner('create', 'steps.yaml', '-n', '2', '-d', 'counted', '--plugins', NAME);
    expect(made.code).toBe(0);
    const counted = await dataDesigner('count-words', 'artifacts/counted', 'said');
    expect([counted.stderr, counted.stdout, counted.code]).toEqual(['', '12 words in 2 records\n', 0]);
    expect((await dataDesigner('count-words')).code).toBe(2);
    const { stdout: usage } = await dataDesigner('count-words', '--help');
    expect(usage).toBe(
      'Usage: data-designer count-words <folder> <column>\n\nCounts the words of a column of a dataset.\n',
    );
    const failed = await dataDesigner('count-words', 'artifacts/none', 'said');
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('dataset/missing')]);
    const { stdout: listed } = await dataDesigner('plugin', 'installed', '--json');
    expect(JSON.parse(listed)).toMatchObject({
      packages: [{ package: 'plugin-of-counts', plugins: [{ type: 'command', name: 'count-words' }], failures: [] }],
    });
    // The help reads no module of the package.
    writeFileSync(join(modules, 'plugin-of-counts', 'index.js'), "throw new Error('loaded');");
    const { stdout: help, code } = await dataDesigner('--help');
    expect(code).toBe(0);
    expect(help).toMatch(/Commands of plugin-of-counts:\n\s+count-words\b.*Count the words of a column\./);
    const broken = await dataDesigner('count-words', 'a', 'b');
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('it cannot be imported: loaded')]);
    await installCommands('plugin-of-counts', { ...works, peerDependencies: { 'data-designer': '>=99' } });
    const late = await dataDesigner('count-words', 'artifacts/counted', 'said');
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('it needs data-designer >=99')]);
  },
);

test('a command of a plug-in takes no name of ours and none of another plug-in', { tags: 'long' }, async () => {
  const words = { ...COMMANDS, show: 'Show something else.' };
  await installCommands('plugin-of-counts', { dataDesigner: { commands: COMMANDS } });
  await installCommands('plugin-of-more', { dataDesigner: { commands: words } });
  const twice = await dataDesigner('count-words', 'artifacts/counted', 'said');
  const told = "it and 'plugin-of-more' add a command 'count-words'";
  expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining(told)]);
  expect(twice.stderr).toContain('plugin-of-counts');
  const shown = await dataDesigner('show', 'artifacts/counted', '--json');
  expect(shown.code).toBe(0);
  const { stdout: help } = await dataDesigner('--help');
  expect(help).toContain('show of plugin-of-more is not available: data-designer has a command of this name.');
  const { stdout: listed } = await dataDesigner('plugin', 'installed', '--json');
  expect(listed).toContain("package.json lists the command 'show', which data-designer has already");
});
