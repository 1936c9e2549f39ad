import { expect, test } from 'vitest';
import { recordFields } from './record-fields.ts';

const verdictOf = (value: unknown) => recordFields([{ name: 'v', shown: 'verdict' }], { v: value })[0]?.isValid;

test.each<readonly [string, unknown, boolean | null]>([
  ['its own verdict', { is_valid: false, a: { is_valid: true } }, false],
  ['all of its targets, which are valid', { a: { is_valid: true }, b: { is_valid: true } }, true],
  ['all of its targets, one of which is not', { a: { is_valid: true }, b: { is_valid: false } }, false],
  ['targets of which one has no verdict', { a: { is_valid: true }, b: {} }, null],
  ['nothing', {}, null],
  ['no struct', null, null],
])('a validation has the verdict of %s', (_, value, isValid) => {
  expect(verdictOf(value)).toBe(isValid);
});

test('scores have their reasons where a judge gave some', () => {
  const value = { Tone: { score: 2, reasoning: 'fine' }, Length: { score: 1, reasoning: 5 }, Style: 3 };
  expect(recordFields([{ name: 's', shown: 'scores' }], { s: value })[0]?.scores).toEqual([
    { name: 'Tone', score: 2, reasoning: 'fine' },
    { name: 'Length', score: 1, reasoning: '' },
    { name: 'Style', score: 3, reasoning: '' },
  ]);
  expect(recordFields([{ name: 's', shown: 'scores' }], { s: 'none' })[0]?.scores).toEqual([]);
});

test('a conversation has its first messages, if it is one, and media are those of the value', () => {
  const asked: unknown[] = [];
  const context = {
    conversationOf: (column: string, messages: readonly unknown[]) => {
      asked.push([column, messages]);
      return { column, total: 1, from: 0, messages: [] };
    },
    mediaOf: (column: string) => [{ kind: 'image', address: column, note: null }] as never,
  };
  const columns = [
    { name: 'chat', shown: 'conversation' },
    { name: 'none', shown: 'conversation' },
    { name: 'text', shown: 'value' },
  ] as const;
  const messages = [{ role: 'user', content: 'Hi' }];
  const fields = recordFields(columns, { chat: messages, none: null, text: messages }, context);
  expect(fields.map((field) => 'conversation' in field)).toEqual([true, false, false]);
  expect(asked).toEqual([['chat', messages]]);
  expect(fields.map(({ media }) => media)).toMatchObject([
    [{ address: 'chat' }],
    [{ address: 'none' }],
    [{ address: 'text' }],
  ]);
  expect(fields.map(({ isValid, scores }) => [isValid, scores])).toEqual(columns.map(() => [null, []]));
  expect(recordFields(columns, { chat: messages })[0]).toMatchObject({ media: [], value: { as: 'conversation' } });
});
