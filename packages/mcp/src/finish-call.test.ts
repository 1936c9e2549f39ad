import { expect, test } from 'vitest';
import type { ToolCall } from '@data-designer/core';
import { finishCall } from './finish-call.ts';

const call: ToolCall = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const png = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };

function shown(content: readonly object[], maxChars: number, isError = false): unknown {
  const body = JSON.stringify({ content, isError });
  return finishCall(call, { kind: 'answered', body }, { maxChars }).message.content;
}

const text = (value: string): object => ({ type: 'text', text: value });

test('a long text is cut, with a note of its length', () => {
  expect(shown([text('abcdef')], 6)).toBe('abcdef');
  expect(shown([text('abcdef')], 4)).toBe('abcd\n[The result was cut here: 4 of its 6 characters are shown.]');
});

test('a surrogate pair is not split', () => {
  expect(shown([text('ab😀')], 3)).toMatch(/^ab\n\[/);
});

test('images stay when text is cut', () => {
  const parts = shown([text('abc'), png, text('def'), text('ghi')], 4) as readonly { type: string; text?: string }[];
  expect(parts.map(({ type, text: said }) => said ?? type)).toEqual([
    'abc',
    'image',
    'd',
    '[The result was cut here: 4 of its 9 characters are shown.]',
  ]);
});

test('errors are cut as well', () => {
  const outcome = finishCall(call, { kind: 'failed', why: 'server', reason: 'x'.repeat(500) }, { maxChars: 40 });
  expect(outcome).toMatchObject({ failure: { kind: 'server' } });
  expect(outcome.message.content).toMatch(/^Error: Tool 'f' failed: x+\n\[The result was cut/);
  expect(shown([text('y'.repeat(500))], 40, true)).toMatch(/^Error: Tool 'f' failed: y+\n\[The result was cut/);
});

test.each([
  ['a whole text', [text('abc')], { isCut: false, isPart: false }],
  ['a long text', [text('x'.repeat(41))], { isCut: true, isPart: false }],
  ['long texts beside an image', [text('x'.repeat(30)), png, text('y'.repeat(30))], { isCut: true, isPart: false }],
  ['an image', [text('abc'), png], { isCut: false, isPart: false }],
  ['a sound', [text('abc'), { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }], { isPart: true }],
  [
    'an image that is none',
    [text('abc'), { type: 'image', data: 'JVBERi0=', mimeType: 'application/pdf' }],
    { isPart: true },
  ],
  ['an image without data', [text('abc'), { type: 'image', mimeType: 'image/png' }], { isPart: true }],
  ['a text item without text', [text('abc'), { type: 'text' }], { isPart: true }],
  ['a file', [text('abc'), { type: 'resource', resource: { uri: 'file:///a.zip', blob: 'AAAA' } }], { isPart: true }],
  ['a link', [text('abc'), { type: 'resource_link', uri: 'file:///a.zip' }], { isPart: false }],
])('a result with %s says whether the model is shown all of it', (_, content, told) => {
  const finished = finishCall(call, { kind: 'answered', body: JSON.stringify({ content }) }, { maxChars: 40 });
  expect(finished).toMatchObject(told);
});
