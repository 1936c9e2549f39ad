import { expect, test } from 'vitest';
import type { ColumnInfo } from '../api/columns.ts';
import { conversationCell, hitsIn, pageCell } from './conversation.ts';

const CALL = { id: 'c', function: { name: 'look', arguments: '{}' } };

test('a conversation is shown by its size, its tool calls and its last text', () => {
  const messages = [{ role: 'user', content: 'Hi' }, { tool_calls: [CALL, CALL] }, { tool_calls: [CALL] }, 'damaged'];
  expect(conversationCell(messages)).toEqual({ as: 'conversation', messages: 4, toolCalls: 3, last: '' });
  expect(conversationCell([{ content: 'x'.repeat(300) }])).toMatchObject({ messages: 1, last: 'x'.repeat(200) });
  expect(conversationCell([{ content: [{ text: 'part' }] }])).toMatchObject({ last: '' });
  expect(conversationCell([])).toEqual({ as: 'conversation', messages: 0, toolCalls: 0, last: '' });
  expect(conversationCell('no conversation')).toBe('no conversation');
});

const column = (more: object) => ({ name: 'c', shown: 'value', ...more }) as unknown as ColumnInfo;

test('a cell is that of the column, of its conversation, or of the member that the column is', () => {
  const row = { c: [{ content: 'last' }], grade: { Tone: { score: 2 } } };
  expect(pageCell(column({ shown: 'conversation' }), row)).toMatchObject({ as: 'conversation', last: 'last' });
  expect(pageCell(column({}), row)).not.toHaveProperty('as', 'conversation');
  expect(pageCell(column({ member: { column: 'grade', path: ['Tone', 'score'] } }), row)).toBe(2);
});

test('a text is found in every value as it is written, in either case', () => {
  const row = { text: 'A Moon', list: ['moon'], big: { n: 12n }, none: null, gone: undefined, odd: () => 'moon' };
  expect(hitsIn(row, 'mOOn')).toEqual(['text', 'list']);
  expect(hitsIn(row, '"12"')).toEqual(['big']);
  expect(hitsIn({ ...row, number: 4.5 }, '4.5')).toEqual(['number']);
});
