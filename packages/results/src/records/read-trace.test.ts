import { expect, test } from 'vitest';
import { finalAnswerOf, toolCallsOf } from './read-trace.ts';

const call = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{}' } });
const told = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
const resultsOf = (...trace: object[]) => toolCallsOf({ a__trace: trace }).map(({ name, result }) => [name, result]);

test('calls with the same id get their results in the order of the calls', () => {
  const calls = [call('x', 'first'), call('y', 'second'), call('x', 'third')];
  const answer = { role: 'assistant', content: null, tool_calls: calls };
  expect(resultsOf(answer, told('x', '1'), told('y', '2'), told('x', '3'))).toEqual([
    ['first', '1'],
    ['second', '2'],
    ['third', '3'],
  ]);
});

const turn = (name: string) => ({ role: 'assistant', content: null, tool_calls: [call('x', name)] });

test('a repeated id in a later turn is another call, and an unanswered call has no result', () => {
  expect(resultsOf(turn('first'), turn('second'), told('x', '2'))).toEqual([
    ['first', null],
    ['second', '2'],
  ]);
});

const namesIn = (row: object, column?: string) => toolCallsOf(row, column).map(({ name }) => name);

test('a conversation has its calls in its own column, and a trace counts first', () => {
  const chat = [turn('asked'), told('x', '1'), { role: 'assistant', content: 'Done' }];
  const row = { chat, chat__user_trace: [{ role: 'assistant', content: 'Hello' }], topic: ['moon'], empty: [] };
  expect([namesIn(row), namesIn(row, 'chat'), finalAnswerOf(row)]).toEqual([['asked'], ['asked'], 'Done']);
  const both = { ...row, a__trace: [turn('traced')] };
  expect([namesIn(both), namesIn(both, 'a'), namesIn(both, 'chat')]).toEqual([['traced'], ['traced'], ['asked']]);
  expect(() => namesIn({ ...row, other: chat })).toThrow("Name one of 'chat', 'other'");
  expect(() => namesIn(row, 'topic')).toThrow('topic__trace');
});
