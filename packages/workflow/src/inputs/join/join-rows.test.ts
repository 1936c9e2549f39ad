import { expect, test } from 'vitest';
import { type ArrowField, field } from '@data-designer/core';
import { joinRows } from './join-rows.ts';

const input = (stage: string, fields: readonly ArrowField[], origins: Readonly<Record<string, string>> = {}) => ({
  stage,
  fields,
  origins: new Map(Object.entries(origins)),
});
const ID = field('id', 'int64');
const reasonOf = (...[inputs, options]: Parameters<typeof joinRows>) => {
  const joined = joinRows(inputs, options);
  return typeof joined === 'string' ? joined : undefined;
};

test('key columns that are missing or of several types are refused, with the stages that have them', () => {
  const [a, b] = [input('a', [ID]), input('b', [ID])];
  expect(reasonOf([a, b], { by: [] })).toBe('join: by names no column');
  expect(reasonOf([a, b], { by: 'id' })).toBeUndefined();
  expect(reasonOf([a, input('b', [field('x', 'utf8'), field('y', 'utf8')])], { by: 'id' })).toBe(
    "join: the stage 'b' has no column 'id'; its columns: x, y",
  );
  expect(reasonOf([a, input('b', [field('id', 'utf8')])], { by: 'id' })).toBe(
    "join: the column 'id' has the type int64 in 'a' and utf8 in 'b'",
  );
  expect(reasonOf([a, b, input('c', [field('id', 'utf8')])], { by: ['id'] })).toBe(
    "join: the column 'id' has the type int64 in 'a' and utf8 in 'c'",
  );
});

test('stages may share a column of one earlier stage, but have none of the same name of their own', () => {
  const [x, y] = [field('x', 'utf8'), field('y', 'utf8')];
  const refusal =
    "join: 'a' and 'b' both have a column 'x' of their own; drop it in one of them, or give it another name";
  for (const options of ['position', { by: 'id' }] as const) {
    expect(reasonOf([input('a', [ID, x], { id: 's' }), input('b', [ID, x], { id: 's' })], options)).toBe(refusal);
    const origins = { id: 's', x: 's' };
    const joined = joinRows([input('a', [ID, x], origins), input('b', [ID, x, y], origins)], options);
    expect(typeof joined === 'string' ? joined : joined.fields.map(({ name }) => name)).toEqual(['id', 'x', 'y']);
  }
});
