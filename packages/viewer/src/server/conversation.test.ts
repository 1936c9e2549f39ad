import { expect, test } from 'vitest';
import { field } from '@data-designer/core';
import type { ColumnInfo } from '../api/columns.ts';
import { cellTexts } from '../cell-texts.ts';
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

test('a text is found in either case in texts and nested data, and a number in numbers too', () => {
  const fields = [
    field('text', 'utf8'),
    field('list', { list: 'utf8' }),
    field('big', { struct: [field('n', 'int64')] }),
    field('number', 'float64'),
    field('none', 'utf8'),
  ];
  const columns = fields.map(({ name, type }) => column({ name, type, isNested: typeof type === 'object' }));
  const row = { text: 'A Moon', list: ['moon'], big: { n: 2n ** 60n }, number: 1e21, none: null };
  const hits = (search: string) => hitsIn(row, search, { columns, texts: cellTexts(fields) });
  expect(hits('mOOn')).toEqual(['text', 'list']);
  expect(hits(':1152921504606846976}')).toEqual(['big']);
  expect(hits('1e+21')).toEqual(['number']);
  expect(hits('null')).toEqual([]);
});
