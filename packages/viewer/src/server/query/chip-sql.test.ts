import { expect, test } from 'vitest';
import type { ColumnInfo } from '../../api/columns.ts';
import { chipSql } from './chip-sql.ts';

const REST = { kind: 'judge', models: [], dateFormat: null, shown: 'scores', language: null, operators: [] } as const;
const GRADE: ColumnInfo = {
  ...REST,
  name: 'grade',
  of: 'grade',
  columnType: 'llm-judge',
  type: 'struct<>',
  isNested: true,
};
const SCORES = ['Tone', 'Code quality'].map((name): ColumnInfo => {
  return { ...GRADE, name: `grade.${name}`, member: { column: 'grade', path: [name, 'score'] } };
});

const text = (name: string): string => `json_extract_string(to_json("grade"), '$."${name}"."score"')`;
const number = (name: string): string => `TRY_CAST(${text(name)} AS DOUBLE)`;

test.each([
  ['grade.Tone < 3', `${number('Tone')} < 3`],
  ['Grade.tone ≤ 3 AND n ≠ 1', `${number('Tone')} <= 3 AND n <> 1`],
  ['grade.Code quality ≥ 2', `${number('Code quality')} >= 2`],
  ['grade.Tone BETWEEN 1 AND 2', `${number('Tone')} BETWEEN 1 AND 2`],
  ['grade.Tone IN (1, 2)', `${number('Tone')} IN (1, 2)`],
  ['grade.Tone = “flat”', `${text('Tone')} = 'flat'`],
  ["topic = “it's”", "topic = 'it''s'"],
  ['grade.Tone.score = 1', 'grade.Tone.score = 1'],
  ['upgrade.Tone = 1', 'upgrade.Tone = 1'],
  ['text = \'grade.Tone ≤ 3\' AND "grade.Tone" = 1', 'text = \'grade.Tone ≤ 3\' AND "grade.Tone" = 1'],
])('%s becomes %s', (typed, sql) => {
  expect(chipSql(typed, SCORES, [GRADE])).toBe(sql);
});
