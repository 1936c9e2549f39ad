import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { compareFiles } from './compare-files.ts';

const TEXT = 'some rows';
const planned = (path: string) => ({ path, bytes: TEXT.length, content: new Blob([TEXT]) }) as never;
const git = createHash('sha1').update(`blob ${TEXT.length}\0${TEXT}`).digest('hex');
const sha256 = createHash('sha256').update(TEXT).digest('hex');
const remote = (files: Readonly<Record<string, object>>) => new Map(Object.entries(files)) as never;

test('files are sent unless the Hub has them, small ones by the hash of git and large ones by SHA-256', async () => {
  const { changed, deleted } = await compareFiles(
    ['new', 'small', 'large', 'longer', 'other', 'wrong-kind'].map(planned),
    remote({
      small: { bytes: TEXT.length, hash: git, isLarge: false },
      large: { bytes: TEXT.length, hash: sha256, isLarge: true },
      longer: { bytes: TEXT.length + 1, hash: git, isLarge: false },
      other: { bytes: TEXT.length, hash: sha256.replace(/./, 'x'), isLarge: true },
      'wrong-kind': { bytes: TEXT.length, hash: git, isLarge: true },
    }),
  );
  expect(changed.map(({ path }) => path)).toEqual(['new', 'longer', 'other', 'wrong-kind']);
  expect(deleted).toEqual([]);
});

test('only files that both tools write are deleted', async () => {
  const file = { bytes: 1, hash: '', isLarge: false };
  const names = [
    'data/batch_00001.parquet',
    'data/batch_00000-00004.arrow',
    'images/photo/0123456789abcdef.png',
    'data/batch_1.csv',
    'a/b/batch_00001.parquet',
    'images/photo/mine.png',
    'README.md',
  ];
  const { deleted } = await compareFiles([], remote(Object.fromEntries(names.map((name) => [name, file]))));
  expect(deleted).toEqual([
    'data/batch_00000-00004.arrow',
    'data/batch_00001.parquet',
    'images/photo/0123456789abcdef.png',
  ]);
});
