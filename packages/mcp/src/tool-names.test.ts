import { expect, test } from 'vitest';
import { legalNames } from './tool-names.ts';

const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;

test('names that a model API accepts stay unchanged', () => {
  expect([...legalNames(['get_fact', 'a-b'])]).toEqual([
    ['get_fact', 'get_fact'],
    ['a-b', 'a-b'],
  ]);
});

test('other characters become an underscore', () => {
  expect([...legalNames(['files.read', 'größe 😀']).values()]).toEqual(['files_read', 'gr__e__']);
});

test('different tools get different names, in any order', () => {
  const names = ['a.b', 'a/b', 'a_b', 'x'.repeat(80), `${'x'.repeat(80)}y`, '.', '/'];
  const told = legalNames(names);
  expect(new Set(told.values()).size).toBe(names.length);
  expect([...told.values()].every((name) => LEGAL.test(name))).toBe(true);
  expect(told.get('a_b')).toBe('a_b');
  const back = legalNames(names.toReversed());
  expect(names.map((name) => back.get(name))).toEqual(names.map((name) => told.get(name)));
});

test('a long name keeps its start', () => {
  expect([...legalNames(['look_up.'.repeat(12)]).values()]).toEqual([
    expect.stringMatching(/^look_up_look_up_.*_[0-9a-f]{8}$/),
  ]);
});

test('a name begins with a letter or an underscore', () => {
  const names = ['3d_render', '-x', '9.9', '_ok', 'tool_3d_render'];
  const told = legalNames(names);
  expect(new Set(told.values()).size).toBe(names.length);
  expect([...told.values()].filter((name) => !/^[a-zA-Z_]/.test(name))).toEqual([]);
  expect([told.get('-x'), told.get('_ok')]).toEqual(['tool_-x', '_ok']);
});
