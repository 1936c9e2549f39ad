import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Plan } from '@data-designer/core';
import { datasetPaths } from '@data-designer/dataset';
import type { ProgressSnapshot } from '@data-designer/engine';
import { testFolder } from '@data-designer/testing/test-folder';
import { FrameBuffer, journalMark } from '../../../../dataset/src/journal/journal-file.ts';
import { LiveFeed } from './live-feed.ts';

const root = testFolder('live-feed');
const asking = (name: string) => ({ name, requires: { models: ['writer'] } });
const PLAN = {
  columns: [asking('a'), asking('b'), { name: 'c', requires: { models: [] } }],
  resources: [
    { id: 'model/p/m', kind: 'model' },
    { id: 'tools/p', kind: 'tools' },
  ],
  segments: [{ firstRow: 0, rows: 4, groupSize: 2 }],
} as unknown as Plan;

/** The feed of a run whose journals the test writes. */
function watched() {
  const paths = datasetPaths(mkdtempSync(join(root, 'run-')));
  const columns = ['a', 'b', 'c'].map((name) => ({ name, shown: 'value' }));
  const feed = new LiveFeed({ paths, plan: () => Promise.resolve({ plan: PLAN, columns: columns as never }) });
  const fileOf = (group: number) => join(paths.journal(group), '000001.journal');
  const begun = new Set<number>();
  /** Writes what a cell received to the journal of its row group. */
  const answer = (group: number, { row = 0, column = 'a', resource = 'model/p/m', content = 'ok' }): void => {
    if (!begun.has(group)) {
      mkdirSync(paths.journal(group), { recursive: true });
      writeFileSync(fileOf(group), journalMark());
      begun.add(group);
    }
    const body = JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop' }] });
    const frames = new FrameBuffer();
    const path = resource === 'tools/p' ? '/tools/call' : 'chat/completions';
    frames.add({ row, column, call: 0, resource, path, request: 'hash', status: 200, headers: {}, body });
    appendFileSync(fileOf(group), frames.bytes);
  };
  return { paths, feed, answer };
}

test('answers are counted as they arrive, and a row group tells what it waits for until it is committed', async () => {
  const { paths, feed, answer } = watched();
  await feed.refresh();
  expect([await feed.state(null), feed.version]).toEqual([{ answers: [], groups: [] }, '0 ']);
  answer(0, { row: 0 });
  answer(0, { row: 1, content: 'x'.repeat(1001) });
  answer(1, { row: 2, column: 'b' });
  await feed.refresh();
  const { answers, groups } = await feed.state(null);
  expect(answers.map(({ number, group, row, column, kind }) => [number, group, row, column, kind])).toEqual([
    [0, 0, 0, 'a', 'model'],
    [1, 0, 1, 'a', 'model'],
    [2, 1, 2, 'b', 'model'],
  ]);
  expect(answers[1]?.text).toEqual({ text: 'x'.repeat(1000), length: 1001 });
  expect(groups).toMatchObject([
    {
      group: 0,
      rows: 2,
      answers: 2,
      columns: [{ answered: 2 }, { answered: 0 }],
      waitsFor: "Waits for 2 answers of 'b'.",
    },
    { group: 1, rows: 2, answers: 1, columns: [{ answered: 0, inFlight: null }, { answered: 1 }] },
  ]);
  expect(groups[1]?.waitsFor).toBe("Waits for 2 answers of 'a', 1 answers of 'b'.");
  const before = feed.version;
  for (const row of [0, 1]) answer(0, { row, column: 'b' });
  rmSync(paths.journal(1), { recursive: true });
  await feed.refresh();
  expect(feed.version).not.toBe(before);
  const progress = { columns: [{ column: 'a', inFlight: 3 }], models: [{ model: 'm', pausedMs: 1001 }] };
  const later = await feed.state(progress as unknown as ProgressSnapshot);
  expect(later.groups).toMatchObject([{ group: 0, answers: 4, columns: [{ inFlight: 3 }, { inFlight: null }] }]);
  expect(later.groups[0]?.waitsFor).toBe('Waits for its last answers; m, which is paused for 2 s.');
  expect(later.answers).toHaveLength(5);
});

test('the rows in the making have the latest answers of models', async () => {
  const { feed, answer } = watched();
  answer(1, { row: 3, content: 'first' });
  answer(1, { row: 3, content: 'y'.repeat(201) });
  answer(0, { row: 1, column: 'b', resource: 'tools/p' });
  answer(0, { row: 1, column: 'b', content: 'two' });
  await feed.refresh();
  expect(await feed.making()).toEqual({
    total: 2,
    columns: ['a', 'b'],
    rows: [
      { row: 1, cells: [null, 'two'] },
      { row: 3, cells: ['y'.repeat(200), null] },
    ],
  });
});

test('the latest hundred answers are shown', async () => {
  const { feed, answer } = watched();
  for (let row = 0; row < 101; row++) answer(0, { row });
  await feed.refresh();
  const { answers, groups } = await feed.state(null);
  expect([answers.length, answers[0]?.row, answers.at(-1)?.number, groups[0]?.answers]).toEqual([100, 1, 100, 101]);
  const { total, rows } = await feed.making();
  expect([total, rows.length]).toEqual([101, 100]);
});
