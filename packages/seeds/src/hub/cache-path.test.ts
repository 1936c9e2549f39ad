import { join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';
import { commitFolder, isCacheable } from './cache-path.ts';

test.each(['a.csv', 'data/a b.csv', 'lang=en/ä.csv', '...csv', '.hidden/a', 'a..b/c', 'x'.repeat(255)])(
  'the path %s is cacheable',
  (path) => {
    expect(isCacheable(path)).toBe(true);
  },
);

test.each([
  '',
  '/a',
  'a/',
  'a//b',
  '.',
  '..',
  './a',
  '../a',
  'a/../b',
  'a\\b',
  '..\\a',
  'C:a',
  'c:/a',
  'a\0b',
  'a\nb',
  'a\u007f',
  'a\uFFFDb',
  'x'.repeat(256),
  'é'.repeat(128),
])('the path %j is not cacheable', (path) => {
  expect(isCacheable(path)).toBe(false);
});

const commit = 'a'.repeat(40);

function folderOf(address: string): string {
  const folder = commitFolder('cache', { endpoint: new URL(address), dataset: 'acme/ships', commit });
  expect(folder.startsWith(`cache${sep}`) && folder.endsWith(join('acme', 'ships', commit))).toBe(true);
  return relative('cache', folder).split(sep)[0] as string;
}

test('the Hub has a cache folder of its own name, and no two endpoints share one', () => {
  expect(folderOf('https://huggingface.co/')).toBe('huggingface.co');
  const addresses = [
    'https://huggingface.co',
    'http://huggingface.co',
    'https://huggingface.co:444',
    'https://huggingface.co/mirror',
    'https://huggingface.co/%2e%2e%2fmirror',
    'http://[::1]:8080/a/b/',
  ];
  const folders = addresses.map(folderOf);
  expect(new Set(folders).size).toBe(addresses.length);
  expect(folders.every((name) => /^[\w.%-]+$/.test(name) && !/^\.+$/.test(name))).toBe(true);
});
