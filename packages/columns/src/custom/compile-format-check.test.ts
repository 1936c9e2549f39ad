import { expect, test } from 'vitest';
import { z } from 'zod';
import type { CellValue } from '@data-designer/core';
import type { JsonSchema } from '@data-designer/json-schema';
import { compileFormatCheck } from './compile-format-check.ts';

const card = z.object({ title: z.string(), parts: z.array(z.int()) });

test.each<[string, JsonSchema, readonly CellValue[]]>([
  ['text', z.toJSONSchema(z.string()), ['', 'a']],
  ['an integer', { type: 'integer' }, [0, -1, 3, 2n ** 62n]],
  ['a number', { type: 'number' }, [0, 2.5, 2n ** 70n]],
  ['a truth', { type: 'boolean' }, [true, false]],
  ['a day', z.toJSONSchema(z.iso.date()), ['2024-02-29']],
  ['a time', { type: 'string', format: 'date-time' }, ['2024-02-29T10:00:00Z', '2024-02-29T10:00:00.5+02:00']],
  ['a list', { type: 'array', items: { type: 'string' } }, [[], ['a', 'b']]],
  ['an object', z.toJSONSchema(card), [{ title: 'a', parts: [1, 2] }]],
  ['a text or nothing', z.toJSONSchema(z.string().nullable()), ['a', null]],
])('accepts %s', (_, format, values) => {
  const mistakeIn = compileFormatCheck(format, 'a');
  expect(values.map(mistakeIn)).toEqual(values.map(() => undefined));
});

test.each<[string, JsonSchema, CellValue, string]>([
  ['a number for text', { type: 'string' }, 5, "'a' must be of type string, but it is 5."],
  ['digits for an integer', { type: 'integer' }, '5', `'a' must be of type integer, but it is "5".`],
  ['a fraction', { type: 'integer' }, 2.5, "'a' must be of type integer, but it is 2.5."],
  [
    'more than 64 bits',
    { type: 'integer' },
    2n ** 63n,
    `'a' must fit in 64 bits, from -9223372036854775808 to 9223372036854775807, but it is ${2n ** 63n}.`,
  ],
  ['nothing', { type: 'boolean' }, null, "'a' must be of type boolean, but it is null."],
  [
    'a day that there is not',
    { type: 'string', format: 'date' },
    '2023-02-29',
    `'a' must match format "date", but it is "2023-02-29".`,
  ],
  [
    'a wrong item',
    z.toJSONSchema(card),
    { title: 'a', parts: [1, 'b'] },
    `'a.parts[1]' must be of type integer, but it is "b".`,
  ],
  [
    'a wrong item of a list',
    { type: 'array', items: { type: 'integer' } },
    [1, 'b'],
    `'a[1]' must be of type integer, but it is "b".`,
  ],
  [
    'neither of two',
    z.toJSONSchema(z.union([z.int(), z.array(z.int())])),
    'b',
    `'a' must be integer or array, but it is "b".`,
  ],
  [
    'a member that is not named, which would be lost',
    { type: 'object', properties: { title: { type: 'string' } } },
    { title: 'a', name: 'b' },
    "'a' may not have a property 'name'.",
  ],
])('rejects %s with a message', (...told) => {
  const [, format, value, mistake] = told;
  expect(compileFormatCheck(format, 'a')(value)).toBe(mistake);
});
