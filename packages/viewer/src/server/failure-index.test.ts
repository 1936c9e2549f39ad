import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FailureLog } from '@data-designer/dataset';
import { FailureIndex } from './failure-index.ts';

function failed(row: number, message: string) {
  return { row, column: 'reply', code: 'model/gave-up', message, onFailure: 'drop_row', messages: [] } as const;
}

test('lost rows have the causes by which failed cells are grouped', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'failure-index-'));
  const path = join(folder, 'failures.jsonl');
  await new FailureLog(path).add(0, [
    failed(1, 'The answer is empty.'),
    failed(2, 'The answer is no JSON.'),
    failed(3, 'The answer is no JSON.'),
  ]);
  const index = new FailureIndex(path);
  await index.refresh();
  const { lost, groups } = index;
  expect(lost.map(({ message, rows }) => [message, rows])).toEqual([
    ['The answer is no JSON.', 2],
    ['The answer is empty.', 1],
  ]);
  expect(lost.map(({ cause }) => cause)).toEqual(groups.map(({ cause }) => cause));
  await rm(folder, { recursive: true });
});
