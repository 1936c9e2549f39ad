import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { digestModule } from './digest-module.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'digest-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes files to a folder of their own; returns it. */
function written(name: string, files: Readonly<Record<string, string>>): string {
  for (const [file, content] of Object.entries(files)) {
    const path = join(folder, name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return join(folder, name);
}

const LOCAL = {
  'src/plugin.ts': `import { one } from './one.ts';\nexport * from "../shared/two.mjs";\nimport 'zod';\n`,
  'src/one.ts': `export const load = () => import('./lazy.mjs');\nnew URL('./words.txt', import.meta.url);`,
  'src/lazy.mjs': `import '#own';\nimport './plugin.ts'; // in a circle`,
  'src/words.txt': 'one two',
  'shared/two.mjs': `import { createRequire } from 'node:module';\ncreateRequire(import.meta.url)('x'); import './three.cjs';`,
  'shared/three.cjs': `module.exports = require('./four');`,
  'shared/four.js': 'exports.four = 4;',
  'own.mjs': 'export {};',
  'package.json': '{ "imports": { "#own": "./own.mjs" } }',
  'src/unrelated.ts': 'export {};',
};
const LOADED = [
  'src/plugin.ts',
  'src/one.ts',
  'src/lazy.mjs',
  'src/words.txt',
  'shared/two.mjs',
  'shared/three.cjs',
  'shared/four.js',
  'own.mjs',
] as const;

test('the digest of a local module is the same at another path, and with another file that it does not load', async () => {
  const digests = await Promise.all([
    digestModule(join(written('here', LOCAL), 'src/plugin.ts')),
    digestModule(join(written('over/there', { ...LOCAL, 'src/unrelated.ts': 'changed' }), 'src/plugin.ts')),
  ]);
  expect(digests[0]).toMatch(/^[\da-f]{64}$/);
  expect(digests[1]).toBe(digests[0]);
});

test.each(LOADED)('the digest of a local module changes with %s', async (changed) => {
  const before = await digestModule(join(written('here', LOCAL), 'src/plugin.ts'));
  const other = { ...LOCAL, [changed]: `${LOCAL[changed]} ` };
  expect(await digestModule(join(written('there', other), 'src/plugin.ts'))).not.toBe(before);
});

const PACKAGE = {
  'package.json': '{ "name": "@acme/words" }',
  'dist/index.js': `import data from './' + name;`,
  'dist/data.json': '{}',
};
const ENTRY = 'dist/index.js';
const installed = (machine: string, files: Readonly<Record<string, string>>) =>
  written(join(machine, 'node_modules/@acme/words'), files);

test('the digest of an installed package covers its files, without its dependencies and what machines build', async () => {
  const before = await digestModule(join(installed('here', PACKAGE), ENTRY));
  const digestOf = (machine: string, files: Readonly<Record<string, string>>) =>
    digestModule(join(installed(machine, { ...PACKAGE, ...files }), ENTRY));
  expect(await digestOf('same', {})).toBe(before);
  expect(await digestOf('dependency', { 'node_modules/left/index.js': '' })).toBe(before);
  expect(await digestOf('hidden', { '.cache/x': '' })).toBe(before);
  expect(await digestOf('data', { 'dist/data.json': '{"a":1}' })).not.toBe(before);
  expect(await digestOf('more', { 'dist/more.js': '' })).not.toBe(before);
  const native = await digestOf('native', { 'binding.gyp': '{}' });
  expect(await digestOf('built', { 'binding.gyp': '{}', 'build/Release/words.node': 'made here' })).toBe(native);
});

test('a linked folder is a local module, and installed packages that it imports by a path are no part of it', async () => {
  const own = written('own', { 'index.mjs': `import '../node_modules/left/index.js'; import './a.mjs';`, 'a.mjs': '' });
  const left = written('node_modules/left', { 'index.js': '' });
  mkdirSync(join(folder, 'project/node_modules'), { recursive: true });
  symlinkSync(own, join(folder, 'project/node_modules/own'));
  const linked = join(folder, 'project/node_modules/own/index.mjs');
  const before = await digestModule(linked);
  expect(before).toBe(await digestModule(join(own, 'index.mjs')));
  writeFileSync(join(left, 'index.js'), 'changed');
  expect(await digestModule(linked)).toBe(before);
  writeFileSync(join(own, 'a.mjs'), 'changed');
  expect(await digestModule(linked)).not.toBe(before);
});

test('very large files count with their sizes alone, and the files after them wholly', async () => {
  const root = installed('large', { ...PACKAGE, 'model.bin': '', 'z.js': 'a' });
  const model = join(root, 'model.bin');
  truncateSync(model, 300 * 1024 * 1024);
  const before = await digestModule(join(root, ENTRY));
  writeFileSync(model, 'changed', { flag: 'r+' });
  expect(await digestModule(join(root, ENTRY))).toBe(before);
  writeFileSync(join(root, 'z.js'), 'b');
  const after = await digestModule(join(root, ENTRY));
  expect(after).not.toBe(before);
  truncateSync(model, 290 * 1024 * 1024);
  expect(await digestModule(join(root, ENTRY))).not.toBe(after);
});
