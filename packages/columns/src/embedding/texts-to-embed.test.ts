import { expect, test } from 'vitest';
import { type CellValue, Float, isFailure } from '@data-designer/core';
import { textsToEmbed } from './texts-to-embed.ts';

test.each<[string, CellValue, readonly string[]]>([
  ['text', ' One verse.\n', ['One verse.']],
  ['text that looks like a number', '5', ['5']],
  ['text that looks like a truth value', 'true', ['true']],
  ['text that looks like an object', '{"a": 1}', ['{"a": 1}']],
  ['a list', ['a ', 'b'], ['a', 'b']],
  ['an empty list', [], []],
  ['a list in JSON', '["a", " b ", "c, d"]', ['a', 'b', 'c, d']],
  ['a list with a comma behind the last', '["a", "b",\n]', ['a', 'b']],
  [
    'a list as Python prints it',
    `['a', "it's", 'say \\'hi\\'', 'x\\ny', '\\x41\\u00e9\\U0001F41D']`,
    ['a', "it's", "say 'hi'", 'x\ny', 'Aé🐝'],
  ],
  ['items that are no text', '[1, 2.0, true, {"a": "b"}]', ['1', '2.0', 'True', '{"a":"b"}']],
  ['simple values as Python prints them', "['a', 1, True]", ['a', '1', 'True']],
  ['an empty list in JSON', ' [ ] ', []],
  ['brackets of another kind', '[sic] it was said [so]', ['[sic] it was said [so]']],
  ['a list that does not end', "['a', 'b'", ["['a', 'b'"]],
  ['a list within text', "['a'] and ['b']", ["['a'] and ['b']"]],
  ['a number', 7, ['7']],
  ['a float', new Float(7), ['7.0']],
  ['an object', { a: 'b' }, ['{"a":"b"}']],
])('%s', (_, value, texts) => {
  expect(textsToEmbed(value, 'c')).toEqual(texts);
});

const refusal = (thrown: unknown) => isFailure(thrown, 'column/no-text');

test.each<[CellValue]>([[null], [' \n'], [['a', '']], ["['a', None]"]])('%j has no text to embed', (value) => {
  expect(() => textsToEmbed(value, 'c')).toThrow(expect.toSatisfy(refusal));
});
