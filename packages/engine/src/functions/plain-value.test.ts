import { expect, test } from 'vitest';
import { DataDesignerError } from '@data-designer/core';
import { plainValue } from './plain-value.ts';

test('proxies, getters and nested objects become plain data, and each member is read once', () => {
  let reads = 0;
  const source = {
    list: new Proxy([1, { a: 2n }], {}),
    get late() {
      return `read ${++reads}`;
    },
    deep: { inner: new Proxy({ text: 'x', none: null }, {}) },
  };
  const plain = plainValue(new Proxy(source, {}), 'f');
  expect(structuredClone(plain)).toEqual({
    list: [1, { a: 2n }],
    late: 'read 1',
    deep: { inner: { text: 'x', none: null } },
  });
});

test('extra members of a list are dropped, and a member named __proto__ is kept as data', () => {
  const list = Object.assign([1], { more: () => 1 });
  expect(structuredClone(plainValue(list, 'f'))).toEqual([1]);
  const odd = JSON.parse('{"__proto__": {"a": 1}}') as object;
  const plain = plainValue(odd, 'f');
  expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
  expect(JSON.stringify(plain)).toBe('{"__proto__":{"a":1}}');
});

const throwing = {
  get a(): number {
    throw new Error('no luck');
  },
};
const revoked = Proxy.revocable({}, {});
revoked.revoke();
const unreadable = new Proxy(
  {},
  {
    ownKeys: () => {
      throw new Proxy(new Error('x'), { get: () => throwing.a });
    },
  },
);
const circle: unknown[] = [];
circle.push(circle);

test.each([
  [{ b: [throwing] }, 'its result.b[0].a is unreadable: no luck'],
  [[revoked.proxy], 'its result[0] is unreadable'],
  [unreadable, 'its result is unreadable: its error cannot be printed'],
  [[1, new Date(0)], 'its result[1] is a Date'],
  [{ a: new Map() }, 'its result.a is a Map'],
  [{ a: ['fine 😀', '\ud83d'] }, 'its result.a[1] is text with half of a character'],
  [Object.assign([], { length: 2 }), 'its result[0] is undefined'],
  [circle, 'is nested too deeply, or contains itself'],
])('a value that is not plain data is rejected with its path', (value, words) => {
  const refused = () => plainValue(value, 'f');
  expect(refused).toThrow(DataDesignerError);
  expect(refused).toThrow(expect.objectContaining({ code: 'function/bad-value' }));
  expect(refused).toThrow(words);
});
