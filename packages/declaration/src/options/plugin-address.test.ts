import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '@data-designer/testing/test-folder';
import { importedFile } from './plugin-address.ts';

const folder = testFolder('plugin-address');

function install(name: string, exports: unknown): string {
  const path = join(folder, 'node_modules', name);
  mkdirSync(join(path, 'lib'), { recursive: true });
  writeFileSync(join(path, 'package.json'), JSON.stringify({ name, exports }));
  writeFileSync(join(path, 'lib', 'main.js'), '');
  return join(path, 'lib', 'main.js');
}

test.each([
  ['one file', 'a', './lib/main.js'],
  ['conditions', 'b', { types: './lib/main.d.ts', import: './lib/main.js' }],
  ['conditions within paths', '@c/d', { '.': { node: { import: './lib/main.js' } } }],
  ['a path', 'e/more', { './more': './lib/main.js' }],
])('a package that exports %s resolves to its file, also from folders below', (_, name, exports) => {
  const file = install(name.replace('/more', ''), exports);
  expect(importedFile(name, folder)).toBe(file);
  expect(importedFile(name, join(folder, 'below', 'it'))).toBe(file);
});

test('a missing package, path or file resolves to nothing', () => {
  install('f', { '.': { require: './lib/main.js' }, './gone': './lib/gone.js' });
  for (const name of ['f', 'f/gone', 'f/other', 'nowhere']) expect(importedFile(name, folder)).toBeUndefined();
});
