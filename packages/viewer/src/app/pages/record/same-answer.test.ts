import { expect, test } from 'vitest';
import { IN_RECORD, cutCell } from '../../../server/cut-cell.ts';
import { compareAnswer } from './same-answer.ts';

const BOOK = { title: 'Salt', author: { born: 1900, died: null }, pages: [1, 2.5], isNew: true };
const JSON_TEXT = JSON.stringify(BOOK, undefined, 2);

test.each([
  ['a text', 'Salt.', ' Salt.\n', 'same text'],
  ['another text', 'Salt.', 'Sand.', 'different'],
  ['code in a fence', 'x = 1', '```python\nx = 1\n```', 'same data'],
  ['code after a remark', 'x = 1', 'Here:\n```python\nx = 1\n```', 'different'],
  ['data in a fence', BOOK, `\`\`\`json\n${JSON_TEXT}\n\`\`\``, 'same data'],
  ['data with a member that is null left out', BOOK, JSON_TEXT.replace(/,\s*"died": null/, ''), 'same data'],
  ['data with another number', BOOK, JSON_TEXT.replace('2.5', '2'), 'different'],
  ['data with a member that was dropped', BOOK, JSON_TEXT.replace('{', '{"note": "x",'), 'different'],
  ['data with a longer list', BOOK, JSON_TEXT.replace('2.5', '2.5, 3'), 'different'],
  ['no JSON', BOOK, 'I cannot.', 'different'],
])('the answer of a model says what is shown, or more: %s', (...[, value, text, found]) => {
  expect(compareAnswer(cutCell(value, IN_RECORD), { text, length: text.length })).toBe(found);
});

test('a text that is cut may say more than is seen of it', () => {
  expect(compareAnswer('Salt.', { text: 'Salt.', length: 9 })).toBe('different');
  expect(compareAnswer({ as: 'text', text: 'Salt.', length: 9 }, { text: 'Salt.', length: 9 })).toBe('same text');
  expect(compareAnswer({ as: 'text', text: 'Salt.', length: 8 }, { text: 'Salt.', length: 9 })).toBe('different');
  const cut = cutCell([1, 2, 3], { ...IN_RECORD, items: 2 });
  expect(compareAnswer(cut, { text: '[1, 2]', length: 6 })).toBe('different');
});
