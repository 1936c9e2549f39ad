import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Finished } from './command-line.ts';
import { floorRelease, installNode, oldRelease } from './node-release.ts';
import { npm, runProgram } from './npm.ts';
import { type Packed, packWorkspace, publicPackages } from './pack-workspace.ts';

const TIMEOUT = 180_000;
const require = createRequire(import.meta.url);
const names = [...publicPackages.values()].map((manifest) => manifest.name);
const nodeVersion =
  floorRelease?.version ?? `${process.versions.node}, for npm has no ${process.platform}-${process.arch} of 22.12`;

let folder: string;
/** A project outside the workspace, with the packages installed from their tarballs. */
let project: string;
let nodeFolder: string;
let packed: Packed[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packages-'));
  project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  [packed, nodeFolder] = await Promise.all([
    packWorkspace(folder),
    floorRelease ? installNode(folder, floorRelease) : dirname(process.execPath),
  ]);
  const tarballs = packed.map(({ tarball }) => tarball);
  await npm(['install', '--engine-strict', '--no-audit', '--no-fund', ...tarballs], inProject());
}, TIMEOUT);

afterAll(() => rm(folder, { recursive: true, force: true }));

function inProject(): { cwd: string; path: string[] } {
  return { cwd: project, path: [nodeFolder] };
}

/** Runs a program of the project on a Node of the given folder. */
function onNode(folderOfNode: string, args: readonly string[]): Promise<Finished> {
  const node = join(folderOfNode, process.platform === 'win32' ? 'node.exe' : 'node');
  return runProgram(node, args, inProject());
}

function dataDesigner(...args: string[]): Promise<Finished> {
  return onNode(nodeFolder, [join('node_modules', 'data-designer', 'bin', 'data-designer.js'), ...args]);
}

function packageOf(name: string): Packed {
  const found = packed.find((one) => one.name === name);
  if (!found) throw new Error(`${name} was not packed`);
  return found;
}

test('every public package is packed, and nothing but what runs is in it', () => {
  expect(packed.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (const { files } of packed) {
    expect(files.filter((file) => /\.test\.|^(?:src|test)\//.test(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['package.json', 'dist/index.js', 'dist/index.d.ts']));
  }
});

test('the packages have one version and ask for exactly that of each other', () => {
  const manifests = [...publicPackages.values()];
  const { version } = manifests[0]!;
  for (const { dependencies = {}, ...manifest } of manifests) {
    const own = Object.entries(dependencies).filter(([name]) => names.includes(name));
    expect(own).toEqual(own.map(([name]) => [name, version]));
    expect(manifest).toMatchObject({ version, engines: { node: '>=22.12' }, license: 'Apache-2.0' });
  }
});

test.each(names)('publint finds nothing to say about %s', async (name) => {
  const tarball = readFileSync(packageOf(name).tarball);
  const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
});

test.each(names)('the types of %s are found by whoever imports it', { timeout: TIMEOUT }, async (name) => {
  const home = dirname(require.resolve('@arethetypeswrong/cli/package.json'));
  const flags = ['--profile', 'esm-only', '--no-definitely-typed', '--no-color', '--no-emoji', '--format', 'ascii'];
  const args = [join(home, 'dist', 'index.js'), packageOf(name).tarball, ...flags];
  const { code, stdout, stderr } = await runProgram(process.execPath, args, { cwd: folder });
  expect({ code, said: stdout + stderr }).toEqual({ code: 0, said: expect.stringContaining('OK (ESM)') });
});

test(`the quickstart makes its records with Node ${nodeVersion}`, { timeout: TIMEOUT }, async () => {
  copyFileSync('configs/quickstart.yaml', join(project, 'quickstart.yaml'));
  const { code, stdout, stderr } = await dataDesigner('create', 'quickstart.yaml', '-n', '5', '--json', '-o', 'out');
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { records, path } = JSON.parse(stdout) as { records: number; path: string };
  expect(records).toBe(5);

  const files = readdirSync(join(path, 'parquet-files'));
  expect(files).toHaveLength(1);
  const file = await asyncBufferFromFile(join(path, 'parquet-files', files[0]!));
  const rows = await parquetReadObjects({ file, compressors });
  expect(rows).toHaveLength(5);
  for (const { answer, answer__trace: trace } of rows) {
    expect(answer).toMatch(/\w/);
    expect((trace as { role: string }[]).map(({ role }) => role)).toContain('tool');
  }
});

test(`many rows at once bring no warning with Node ${nodeVersion}`, { timeout: TIMEOUT }, async () => {
  copyFileSync('configs/quickstart.yaml', join(project, 'many.yaml'));
  const { code, stderr } = await dataDesigner('create', 'many.yaml', '-n', '60', '--json', '-o', 'many');
  expect(stderr).toContain('{"type":"run-end","rows":60,');
  expect(stderr).not.toContain('Warning');
  expect(code).toBe(0);
});

test(`the builder example compiles strictly and runs with Node ${nodeVersion}`, { timeout: TIMEOUT }, async () => {
  copyFileSync('configs/animal-facts.ts', join(project, 'animal-facts.ts'));
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
  const flags = ['--ignoreConfig', '--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'esnext'];
  const compiled = await runProgram(process.execPath, [compiler, ...flags, 'animal-facts.ts'], { cwd: project });
  expect(compiled.stdout).toBe('');

  const script = `const { questions } = await import('./animal-facts.js'); console.log(JSON.stringify(questions));`;
  const { stdout, stderr } = await onNode(nodeFolder, ['--input-type=module', '-e', script]);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual(Array(3).fill(expect.stringMatching(/^(octopuses|bees): ./)));
});

const oldVersion = oldRelease?.version ?? `20, which npm has not got for ${process.platform}-${process.arch},`;

/** A file of an installed package. */
function at(name: string, ...path: string[]): string {
  return join('node_modules', name, ...path);
}

test.runIf(oldRelease)(`Node ${oldVersion} is refused by every program and import`, { timeout: TIMEOUT }, async () => {
  const old = await installNode(folder, oldRelease!);
  const refusal = `Node 22.12 or newer is needed; this is ${oldRelease?.version}.`;
  const programs = [
    at('data-designer', 'bin', 'data-designer.js'),
    at('data-designer', 'dist', 'cli', 'main.js'),
    at('@data-designer/simulator', 'dist', 'simulator.js'),
    at('@data-designer/simulator', 'dist', 'demo-tools', 'demo-tools.js'),
  ];
  for (const program of programs) {
    const { code, stdout, stderr } = await onNode(old, [program, 'create', 'quickstart.yaml']);
    expect({ program, code, stdout, stderr }).toEqual({ program, code: 1, stdout: '', stderr: `${refusal}\n` });
  }
  const entries = [...publicPackages.values()].flatMap(({ name, exports }) =>
    Object.keys(exports ?? {}).flatMap((key) =>
      key.endsWith('.json') || key.includes('old-node') ? [] : name + key.slice(1),
    ),
  );
  expect(entries).toEqual(expect.arrayContaining(['data-designer', '@data-designer/simulator']));
  const script = `for (const entry of ${JSON.stringify(entries)})
    console.log(await import(entry).then(() => entry + ' is loaded', ({ message }) => message));`;
  const { stdout } = await onNode(old, ['--input-type=module', '-e', script]);
  expect(stdout.trim().split('\n')).toEqual(entries.map(() => refusal));
});
