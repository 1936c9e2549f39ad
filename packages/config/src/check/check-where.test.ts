import { expect, test } from 'vitest';
import { z } from 'zod';
import { field } from '@data-designer/core';
import { ColumnRegistry } from '../column-registry.ts';
import { columnFields, defineColumn } from '../define-column.ts';
import { parseDataset } from '../parse-dataset.ts';
import { checkDataset } from './check-dataset.ts';

/** A column whose score has listed values, beside a reasoning of any text. */
const judge = defineColumn({
  type: 'judge',
  schema: z.strictObject({ ...columnFields('judge'), scores: z.array(z.union([z.string(), z.int()])) }),
  writes: ({ name, scores }) => {
    const type = scores.some((score) => typeof score === 'string') ? 'utf8' : 'int64';
    const score = field('score', type);
    return [field(name, { struct: [field('tone', { struct: [field('reasoning', 'utf8'), score] })] })];
  },
  listed: ({ scores }) => [{ path: ['tone', 'score'], values: scores }],
  cell: () => () => [null],
});
const topic = defineColumn({
  type: 'topic',
  schema: z.strictObject({ ...columnFields('topic'), values: z.array(z.string()).nullable().default(null) }),
  writes: ({ name }) => [field(name, 'utf8')],
  listed: ({ values }) => (values ? [{ path: [], values }] : []),
  cell: () => () => [null],
});
const registry = new ColumnRegistry([judge, topic]);

const found = (where: string, more: object = {}, processors: readonly object[] = []) => {
  const columns = [
    { name: 'grade', column_type: 'judge', scores: [1, 2, 3, 4], ...more },
    { name: 'mark', column_type: 'judge', scores: ['1', '2'] },
    { name: 'topic', column_type: 'topic', values: ['a', 'b'] },
    { name: 'free', column_type: 'topic' },
    { name: 'size', column_type: 'topic', values: ['s', 'm', 'l'] },
    { name: 'range', column_type: 'topic', values: ['near'] },
    { name: 'many', column_type: 'topic', values: Array.from({ length: 1001 }, (_, index) => `v${index}`) },
  ];
  return checkDataset(parseDataset({ columns, processors, select: { where } }, registry), { registry });
};

test.each([
  'grade.tone.score >= 5',
  "grade.tone.score >= '3'",
  "grade.tone.score == '4'",
  'mark.tone.score == 7',
  "mark.tone.score == '2'",
  'grade[\'tone\'].score > 4 or grade . tone [ "score" ] < 1',
  "topic == 'c'",
  "topic == 'a' and grade.tone.score > 4",
  "topic == 'A' or grade.tone.score not in [1, 2, 3, 4]",
])('a condition that no listed value fulfils is refused: %s', (where) => {
  expect(found(where)).toMatchObject([{ type: 'where_never', level: 'ERROR', path: 'select.where' }]);
});

test.each([
  'grade.tone.score >= 4',
  'mark.tone.score == 2',
  "topic == 'b' and grade.tone.score == 1",
  "'c' in grade.tone.reasoning",
  "grade.tone.score >= 5 or 'c' in grade.tone.reasoning",
  "free == 'c'",
  "topic == 'b' and size == 'l' and grade.tone.score == 4",
  // Columns of these names are not read, and so many combinations are not tried.
  "range == 'far'",
  "topic == 'c' and many == 'x'",
  "grade.tone['reasoning'] == 'c'",
  "'c' in (grade | string)",
  "topic == 'c' or topic ~ 'x' == 'ax'",
  "topic == 'c' or free == 'c'",
  'grade.tone.score > 4 * ([1, 2] | random)',
])('other conditions are not: %s', (where) => {
  expect(found(where).filter(({ type }) => type === 'where_never')).toEqual([]);
});

test('the values are named, and a cell that may be skipped or null may have others', () => {
  const [first] = found("topic == 'c'");
  expect(found("range == 'far'")).toEqual([]);
  const processor = { processor_type: 'drop_columns', name: 'drop', column_names: ['size'] };
  expect(found("topic == 'c'", {}, [processor])).toEqual([]);
  expect(first?.message).toBe(
    'no row can be accepted, because no values fulfil the condition: topic is one of "a", "b".',
  );
  expect(first?.remedy).toBe('Compare with one of them.');
  expect(found("mark.tone.score == '2'")[0]?.remedy).toContain('as in == 1 without quotes');
  expect(found('grade.tone.score >= 5', { on_failure: 'null' })).toEqual([]);
  expect(found('grade.tone.score >= 5', { skip: { when: "{{ topic == 'a' }}" } })).toEqual([]);
});

test.each([
  ["topic.name == 'a'", "'topic.name' has no value in any row: 'topic' is text."],
  ["topic['name'] == 'a'", "'topic['name']' has no value in any row"],
  ["topic.toUpperCase() == 'A'", "'topic.toUpperCase' has no value in any row"],
])('a member of a column whose values are listed texts is refused: %s', (where, told) => {
  const message: unknown = expect.stringContaining(told);
  expect(found(where)).toMatchObject([{ type: 'missing_member', message }]);
});

test.each(["topic.upper() == 'A'", "topic[0] == 'a'", "free.name == 'a'", 'topic | length == 1'])(
  'what a text has, or may have, is not: %s',
  (where) => {
    expect(found(where)).toEqual([]);
  },
);

test.each([
  ['grade.tone >= 2', "'grade.tone' is an object, so that >= fails in every row.", 'grade.tone.score'],
  ['1 < mark.tone and topic', "'mark.tone' is an object, so that < fails in every row.", 'mark.tone.reasoning'],
  ["grade['tone'] > topic", "'grade['tone']' is an object", "grade['tone'].score"],
  ['grade.score >= 2', "'grade.score' has no value in any row", 'tone'],
])(
  'a condition that compares an object, or reads a member that is not there, is refused: %s',
  (where, told, remedy) => {
    const message: unknown = expect.stringContaining(told);
    const way: unknown = expect.stringContaining(remedy);
    expect(found(where)).toMatchObject([{ level: 'ERROR', path: 'select.where', message, remedy: way }]);
  },
);
