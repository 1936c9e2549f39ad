import { field } from '@data-designer/core';
import { expect, test } from 'vitest';
import type { ColumnInfo } from '../../api/columns.ts';
import { missingColumn } from './missing-column.ts';

const card = field('card', {
  struct: [field('title', 'utf8'), field('by', { struct: [field('first name', 'utf8')] })],
});
const grade = field('grade', { struct: [field('Tone', { struct: [field('score', 'utf8')] })] });
const score = { name: 'grade.Tone', member: { column: 'grade', path: ['Tone', 'score'] } } as unknown as ColumnInfo;
const reason = (name: string): string => `Binder Error: Referenced column "${name}" not found in FROM clause!`;

test.each([
  ['tone', 'there is no column tone. Name the member with its column: grade.Tone.'],
  ['title', 'there is no column title. Name the member with its column: card.title.'],
  ['first name', 'there is no column first name. Name the member with its column: card.by."first name".'],
  ['titel', undefined],
])('%s as a column is a member of one', (name, message) => {
  expect(missingColumn(reason(name), { fields: [card, grade], scores: [score] })).toBe(message);
  expect(missingColumn('Parser Error: syntax error', { fields: [card, grade], scores: [score] })).toBeUndefined();
});
