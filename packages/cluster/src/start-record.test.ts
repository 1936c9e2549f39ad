import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clusterPaths, datasetPaths } from '@data-designer/dataset';
import { testFolder } from '@data-designer/testing/test-folder';
import {
  groupsOf,
  imageFoldersOf,
  jointLimits,
  lackedCode,
  lackedVersion,
  readStart,
  sharedParts,
  type StartRecord,
  writeSession,
  writeStart,
} from './start-record.ts';

const root = testFolder('start-record');
const PLAN = 'the plan';
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

function dataset() {
  const paths = datasetPaths(mkdtempSync(join(root, 'data-')));
  writeFileSync(paths.run, PLAN);
  const cluster = clusterPaths(paths, 'a-run');
  mkdirSync(cluster.folder, { recursive: true });
  return { paths, cluster };
}

const record = (more: object = {}) => ({ version: '1', groups: [0], code: {}, ...more }) as unknown as StartRecord;

test('a machine reads the record of a run with the digest of its plan, also once all rows are made', async () => {
  const { paths, cluster } = dataset();
  expect(await readStart(cluster)).toBeUndefined();
  const written = await writeStart(cluster, paths, record());
  expect(written.plan).toBe(digest(PLAN));
  expect(await readStart(cluster)).toEqual(written);
  renameSync(cluster.start, cluster.finishing);
  expect(await readStart(cluster)).toEqual(written);
});

test('a session is read as a session, and what is neither is no record', async () => {
  const { cluster } = dataset();
  const session = { kind: 'workflow', runs: ['stage-0'], version: '1' } as never;
  await writeSession(cluster, session);
  expect(await readStart(cluster)).toEqual(session);
  for (const damaged of [{ groups: [0] }, { version: '1' }, { version: 1, groups: [0] }, ['version']]) {
    writeFileSync(cluster.start, JSON.stringify(damaged));
    expect([damaged, await readStart(cluster)]).toEqual([damaged, undefined]);
  }
});

test('a machine lacks another version, another plan, and code that it has not or has in another version', async () => {
  const { paths } = dataset();
  expect(lackedVersion({ version: '2', code: {} }, '2')).toEqual([]);
  expect(lackedVersion({ version: '2', code: {} }, '1')).toEqual(['version 2 of data-designer (it has 1)']);
  const code = { 'function f': digest('f'), 'plug-in p': digest('p'), same: digest('s') };
  const begun = record({ plan: digest(PLAN), code });
  expect(await lackedCode(begun, paths, code)).toEqual([]);
  const short = (text: string) => `sha256:${digest(text).slice(0, 12)}`;
  expect(await lackedCode(begun, paths, { 'plug-in p': digest('other'), same: digest('s') })).toEqual([
    'the function f',
    `the same plug-in p (it has ${short('other')}, the run ${short('p')})`,
  ]);
  writeFileSync(paths.run, 'another plan');
  expect(await lackedCode(begun, paths, code)).toEqual([
    `the same run.json (it has ${short('another plan')}, the run ${short(PLAN)})`,
  ]);
  // The plan of a session changes between its runs.
  expect(await lackedCode(record({ code }), paths, code)).toEqual([]);
});

test('folders of images are named relative to the folder of the run, and found from it on another machine', () => {
  const parts = sharedParts({ version: '1', code: {}, imageFolders: ['/here/flow/stage-0'] }, '/here/flow/stage-1');
  expect(parts).toEqual({
    version: '1',
    code: {},
    functions: [],
    mediaRoots: 0,
    allowPrivate: false,
    imageFolders: ['../stage-0'],
  });
  expect(imageFoldersOf(parts, '/there/flow/stage-1')).toEqual(['/there/flow/stage-0']);
});

test('the limits of a workflow are told with what they had cost, and a run alone has none', () => {
  expect(jointLimits(undefined, 3)).toBeUndefined();
  const share = {
    id: 'flow',
    resources: [],
    spentBefore: (own = 0) => 10 - own,
    account: (own?: number) => `stage/${own ?? 'later'}`,
    made: () => ({ 'stage-0': 4 }),
  };
  const told = { id: 'flow', resources: [], made: { 'stage-0': 4 } };
  expect(jointLimits(share, 3)).toEqual({ ...told, spentBefore: 7, account: 'stage/3' });
  expect(jointLimits(share)).toEqual({ ...told, spentBefore: 10, account: 'stage/later' });
});

test('a record has the row groups that are to be made', () => {
  const segments = [{ firstRow: 0, rows: 10, groupSize: 4 }];
  expect(groupsOf({ segments } as never, { groups: [2, 0, 7] }).map(({ index }) => index)).toEqual([0, 2]);
});
