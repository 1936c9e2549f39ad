import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { datasetPaths } from '@data-designer/dataset';
import { testFolder } from '@data-designer/testing/test-folder';
import type { StartRecord, WorkflowRecord } from '../start-record.ts';
import type { PartOptions } from './joined-machine.ts';
import { readShared, refuseOtherCode } from './read-shared.ts';

const root = testFolder('read-shared');

const parts = (more: object = {}) =>
  ({
    version: '2',
    plugins: [],
    functions: new Map([['f', () => 1]]),
    digests: () => Promise.resolve({ 'function f': 'same' }),
    ...more,
  }) as unknown as PartOptions;
const record = (more: object = {}) =>
  ({
    kind: 'workflow',
    version: '2',
    code: { 'function f': 'same' },
    functions: ['f'],
    mediaRoots: 0,
    allowPrivate: false,
    runs: [],
    ...more,
  }) as unknown as WorkflowRecord;

const folder = () => datasetPaths(mkdtempSync(join(root, 'data-')));
const lacks = async (begun: object, own: object = {}) => {
  try {
    await refuseOtherCode(record(begun), folder(), parts(own));
    return [];
  } catch (thrown) {
    return (thrown as { data: { lacks: readonly string[] } }).data.lacks;
  }
};

test('a machine with the version, code and permissions of a run lacks nothing', async () => {
  expect(await lacks({})).toEqual([]);
  expect(await lacks({ mediaRoots: 2, allowPrivate: true }, { mediaRoots: ['/a', '/b'], allowPrivate: true })).toEqual(
    [],
  );
  // More than is needed.
  expect(await lacks({}, { mediaRoots: ['/a'], allowPrivate: true })).toEqual([]);
});

test('a machine learns at once which version, functions, media roots and permissions it lacks', async () => {
  expect(await lacks({ version: '3', functions: ['f', 'g'], mediaRoots: 2, allowPrivate: true })).toEqual([
    'version 3 of data-designer (it has 2)',
    'the function g',
    '2 media roots (--media-root)',
    'the permission for private addresses (--allow-private)',
  ]);
  expect(await lacks({ mediaRoots: 2 }, { mediaRoots: ['/a'] })).toEqual(['a media root (--media-root)']);
});

test('a missing function is named once, although its code is missing too', async () => {
  const code = { 'function f': 'same', 'function g': 'other' };
  expect(await lacks({ functions: ['f', 'g'], code })).toEqual(['the function g']);
});

test('the plan of another version cannot be read, and the version is named', async () => {
  const paths = folder();
  writeFileSync(paths.run, '{"format":');
  const plan = createHash('sha256').update('{"format":').digest('hex');
  const begun = (version: string) => record({ version, plan, groups: [] }) as unknown as StartRecord;
  await expect(readShared({ paths }, begun('3'), parts())).rejects.toMatchObject({
    code: 'cluster/lacks',
    data: { path: paths.folder, lacks: ['version 3 of data-designer (it has 2)'] },
  });
  await expect(readShared({ paths }, begun('2'), parts())).rejects.toMatchObject({
    code: expect.stringMatching(/^dataset\//) as string,
  });
});
