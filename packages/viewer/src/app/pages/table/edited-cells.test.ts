import { expect, test } from 'vitest';
import type { ColumnInfo } from '../../../api/columns.ts';
import { editedCell } from './grid-row.tsx';
import { tracesOfEdits } from './table-tools.tsx';

const REVIEW = {
  row: 0,
  hash: '',
  verdict: null,
  rating: null,
  comment: null,
  edits: { reply: 'new', grade: { Tone: { score: 4, reasoning: '' } }, gone: null },
  author: null,
  time: '',
  isStale: false,
};

function info(name: string, more: Partial<ColumnInfo> = {}): ColumnInfo {
  const rest = { of: name, columnType: '', models: [], type: 'utf8', isNested: false, dateFormat: null };
  return { name, kind: 'model', shown: 'value', language: null, operators: [], ...rest, ...more };
}

test('the table has the new values of a review, also those of scores, and none of a stale one', () => {
  expect(editedCell(info('reply'), REVIEW)).toBe('new');
  expect(editedCell(info('gone'), REVIEW)).toBeNull();
  const tone = info('grade.Tone', { member: { column: 'grade', path: ['Tone', 'score'] } });
  expect(editedCell(tone, REVIEW)).toBe(4);
  expect(editedCell(info('other'), REVIEW)).toBeUndefined();
  expect(editedCell(info('reply'), { ...REVIEW, isStale: true })).toBeUndefined();
  expect(editedCell(info('reply'), undefined)).toBeUndefined();
});

test('a download says which conversations keep the text before an edit', () => {
  const columns = [info('reply'), info('reply__trace', { kind: 'trace', of: 'reply' }), info('b', { of: 'reply' })];
  expect(tracesOfEdits(columns, [REVIEW])).toEqual(['reply__trace']);
  expect(tracesOfEdits(columns, [{ ...REVIEW, isStale: true }])).toEqual([]);
});
