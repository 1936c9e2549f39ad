import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clusterPaths, type DatasetPaths, datasetPaths, takeFolderLock, WORKFLOW_FILE } from '@data-designer/dataset';
import { testFolder } from '@data-designer/testing/test-folder';
import { findRuns, isFinished, isStepOfSelection, type JoinTarget } from './find-runs.ts';

const root = testFolder('find-runs');
const NONE: ReadonlyMap<string, JoinTarget> = new Map();

const emptyFolder = (): DatasetPaths => datasetPaths(mkdtempSync(join(root, 'data-')));

/** Writes what a coordinator leaves in the folder of its run or session. */
function begin(paths: DatasetPaths, run: string, record: object): void {
  const cluster = clusterPaths(paths, run);
  mkdirSync(cluster.folder, { recursive: true });
  writeFileSync(cluster.start, JSON.stringify({ version: '1', ...record }));
}

const RUN = { groups: [0, 1] };
const WORKFLOW = { kind: 'workflow', runs: ['stage-0', 'stage-1'] };

const idsOf = async (paths: DatasetPaths, taken = NONE) => (await findRuns(paths, { taken })).map(({ run }) => run);

test('a dataset is finished with all its groups and rows, while no run on a cluster has its lock', async () => {
  const paths = emptyFolder();
  expect(await isFinished(paths)).toBe(false);
  const whole = { num_completed_batches: 2, total_num_batches: 2, target_num_records: 6, actual_num_records: 6 };
  const finished: [boolean, object][] = [
    [true, {}],
    [true, { actual_num_records: 7 }],
    [false, { actual_num_records: 5 }],
    [false, { num_completed_batches: 1 }],
    [false, { num_completed_batches: null, total_num_batches: null }],
  ];
  for (const [isWhole, change] of finished) {
    writeFileSync(paths.metadata, JSON.stringify({ ...whole, ...change }));
    expect([change, await isFinished(paths)]).toEqual([change, isWhole]);
  }
  writeFileSync(paths.metadata, JSON.stringify(whole));
  {
    await using _ = await takeFolderLock(paths.lock, { cluster: 'a-run' });
    expect(await isFinished(paths)).toBe(false);
  }
  expect(await isFinished(paths)).toBe(true);
});

test('a workflow is finished once its record says so', async () => {
  const paths = emptyFolder();
  for (const isComplete of [false, true]) {
    writeFileSync(join(paths.folder, WORKFLOW_FILE), JSON.stringify({ is_complete: isComplete }));
    expect(await isFinished(paths)).toBe(isComplete);
  }
});

test('a run is found while its record is there, and that of the lock before any other', async () => {
  const paths = emptyFolder();
  expect(await idsOf(paths)).toEqual([]);
  begin(paths, 'a-run', RUN);
  expect(await findRuns(paths, { taken: NONE })).toEqual([{ run: 'a-run', record: { version: '1', ...RUN }, paths }]);
  begin(paths, 'b-run', RUN);
  await using _ = await takeFolderLock(paths.lock, { cluster: 'b-run' });
  expect(await idsOf(paths)).toEqual(['b-run']);
  begin(paths, 'b-run', { groups: 'damaged' });
  expect(await idsOf(paths)).toEqual([]);
});

test('the runs of a session are found in its folders, and the session itself while it has none', async () => {
  const paths = emptyFolder();
  begin(paths, 'flow', WORKFLOW);
  expect(await findRuns(paths, { taken: NONE })).toMatchObject([{ run: 'flow', session: WORKFLOW }]);
  const [first, second] = WORKFLOW.runs.map((folder) => datasetPaths(join(paths.folder, folder))) as [
    DatasetPaths,
    DatasetPaths,
  ];
  begin(first, 'flow.1', RUN);
  begin(second, 'other.1', RUN);
  expect(await idsOf(paths)).toEqual(['flow.1']);
  begin(second, 'flow.2', RUN);
  expect((await idsOf(paths)).toSorted()).toEqual(['flow.1', 'flow.2']);
  // A machine that coordinates the session takes part in its runs without looking for them.
  const session = { run: 'flow', session: WORKFLOW, paths } as unknown as JoinTarget;
  expect(await idsOf(paths, new Map([['flow', session]]))).toEqual(['flow']);
});

test('a run that this machine takes part in is found without its record', async () => {
  const paths = emptyFolder();
  mkdirSync(clusterPaths(paths, 'a-run').folder, { recursive: true });
  const known = { run: 'a-run', record: RUN, paths } as unknown as JoinTarget;
  expect(await findRuns(paths, { taken: new Map([['a-run', known]]) })).toEqual([known]);
});

test('a run is a step of the selection of the folder above only', async () => {
  const paths = emptyFolder();
  const candidates = datasetPaths(join(paths.folder, 'candidates'));
  const step = { run: 'chosen.1', paths: candidates };
  expect(await isStepOfSelection(step)).toBe(false);
  begin(paths, 'other', { kind: 'selection', runs: ['candidates'] });
  expect(await isStepOfSelection(step)).toBe(false);
  begin(paths, 'chosen', { kind: 'workflow', runs: ['candidates'] });
  expect(await isStepOfSelection(step)).toBe(false);
  begin(paths, 'chosen', { kind: 'selection', runs: ['candidates'] });
  expect(await isStepOfSelection(step)).toBe(true);
});
