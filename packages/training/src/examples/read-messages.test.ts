import { expect, test } from 'vitest';
import { valueAt, valueMessages } from './read-messages.ts';

const AT = { role: 'user', column: 'talk', row: 3 } as const;

test('a list of messages keeps its reasoning, also behind several system messages', () => {
  const value = [
    { role: 'system', content: 'a' },
    { role: 'system', content: 'b' },
    { role: 'user', content: 'c' },
    { role: 'assistant', content: 'd', reasoning_content: 'thought of d' },
    { role: 'user', content: 'e' },
    { role: 'assistant', content: 'f', reasoning_content: 'thought of f' },
  ];
  expect(valueMessages(value, AT)).toEqual([{ role: 'system', content: 'a\n\nb' }, ...value.slice(2)]);
  expect(valueMessages(value.slice(1), AT)).toEqual(value.slice(1));
  expect(valueMessages(value.slice(2), AT)).toEqual(value.slice(2));
});

test('texts and objects are one message, and null is none', () => {
  expect(valueMessages('hello', AT)).toEqual([{ role: 'user', content: 'hello' }]);
  expect(valueMessages({ a: 1 }, AT)).toEqual([{ role: 'user', content: '{"a":1}' }]);
  expect(valueMessages(null, AT)).toEqual([]);
});

test('a list of something else is refused with its row', () => {
  expect(() => valueMessages(['a'], AT)).toThrow(/row 3 of 'talk' is not a list of messages/);
});

test('a path names a column, also one with dots, or members of it', () => {
  expect(valueAt({ 'a.b': 1, a: { b: 2, c: { d: 3 } } }, 'a.b')).toBe(1);
  expect(valueAt({ a: { b: 2, c: { d: 3 } } }, 'a.c.d')).toBe(3);
  expect(valueAt({ a: { b: 2 } }, 'a.x.y')).toBeUndefined();
  expect(valueAt({ a: 'text' }, 'a.length')).toBeUndefined();
  expect(valueAt({}, 'constructor.name')).toBeUndefined();
});
