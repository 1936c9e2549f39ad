import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '@data-designer/testing/test-folder';
import { metadataPath, readWorkflow, type StageRecord, WorkflowMetadata } from './workflow-metadata.ts';

const root = testFolder('workflow-metadata');
const NAMED = { name: 'flow', stages: [{ name: 'one' }, { name: 'two' }] };
const recordOf = (name: string, more: Partial<StageRecord> = {}) =>
  ({ name, status: 'completed', index: 0, stage_dir: name, identity: {}, ...more }) as StageRecord;

async function opened() {
  const folder = mkdtempSync(join(root, 'flow-'));
  const written = () => JSON.parse(readFileSync(metadataPath(folder), 'utf8')) as Readonly<Record<string, unknown>>;
  return { folder, written, open: () => WorkflowMetadata.open(folder, NAMED) };
}

test('stages are recorded in the order of the workflow, and those that it no longer has come last', async () => {
  const { folder, open } = await opened();
  const metadata = await open();
  await Promise.all(['old', 'two', 'one'].map((name) => metadata.put(recordOf(name))));
  await metadata.put(recordOf('two', { duration_sec: 3 }));
  const stages = (await readWorkflow(folder))?.stages ?? [];
  expect(stages.map(({ name, index }) => [name, index])).toEqual([
    ['one', 0],
    ['two', 1],
    ['old', 2],
  ]);
  const again = await open();
  expect([again.of('two')?.duration_sec, again.of('none')]).toEqual([3, undefined]);
  expect([...again.seconds()]).toEqual([['two', 3]]);
});

test('a workflow without a stage has no record, whether it begins or ends', async () => {
  const { folder, open } = await opened();
  const metadata = await open();
  await metadata.begin();
  await metadata.end(null);
  expect(existsSync(metadataPath(folder))).toBe(false);
  expect(await readWorkflow(folder)).toBeUndefined();
});

test('a workflow that goes on is no longer complete, and its end is recorded once it is known', async () => {
  const { written, open } = await opened();
  const metadata = await open();
  await metadata.put(recordOf('one'));
  await metadata.begin();
  // Nothing was to change.
  expect(written()).not.toHaveProperty('is_complete');
  await metadata.end(null);
  expect(written()).toMatchObject({ is_complete: true });
  await metadata.begin();
  expect(written()).toMatchObject({ is_complete: false });
  await metadata.end({ code: 'run/aborted', message: 'stopped' } as never);
  expect(written()).toMatchObject({ is_complete: false, ended: { code: 'run/aborted' } });
  const next = await open();
  await next.begin();
  expect(written()).toMatchObject({ is_complete: false, stages: [{ name: 'one' }] });
  expect(written()).not.toHaveProperty('ended');
});
