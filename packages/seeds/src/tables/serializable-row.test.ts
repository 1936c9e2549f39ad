import { deserialize, serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { Float } from '@data-designer/core';
import { toSerializable, fromSerializable } from './serializable-row.ts';

test('restores serialized values, integral floats included', () => {
  const value = {
    float: new Float(1),
    deep: [[new Float(-0)], { a: new Float(2), b: null }],
    numbers: [1, NaN, -0, 2n ** 70n],
    when: new Date(5),
    nothing: undefined,
    ['__proto__']: { a: new Float(3) },
  };
  expect(fromSerializable(deserialize(serialize(toSerializable(value))))).toEqual(value);
});

test('copies values, so that later changes do not show', () => {
  const row = { list: [1], mapping: { a: 1 } };
  const kept = toSerializable(row);
  row.list.push(2);
  row.mapping.a = 2;
  expect(kept).toEqual({ list: [1], mapping: { a: 1 } });
});
