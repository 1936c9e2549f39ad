import { expect, test } from 'vitest';
import type { CallPath } from '@data-designer/core';
import { type AnswerForm, protocolOfPath } from '@data-designer/models/protocols';
import { takeAnswer } from './take-answer.ts';

const CHAT = formOf('chat/completions');

function formOf(path: CallPath): AnswerForm {
  const form = protocolOfPath(path)?.paths[path];
  if (!form) throw new Error(`No protocol has the path ${path}.`);
  return form;
}

const taken = (body: string, { status = 200, type = 'application/json' } = {}) =>
  takeAnswer({ status, headers: type === '' ? {} : { 'content-type': type }, body }, CHAT);

test('an object is an answer, and taken as it is', () => {
  for (const body of ['{"choices":[{"message":{}}]}', ' \r\n{"choices": [ {"message": {}} ]}\n']) {
    const outcome = { status: 200, headers: { 'content-type': 'application/json' }, body };
    expect(takeAnswer(outcome, CHAT)).toBe(outcome);
  }
});

test.each(['', ' \n', '<html>no</html>', '{"choices":[{"mess', 'null', '[1]', '"text"', '{'])(
  'the body %j is no answer',
  (body) => {
    expect(taken(body)).toMatchObject({ status: 200, body, verdict: 'unusable' });
  },
);

test('an answer in pieces is left to who asked for it', () => {
  const outcome = taken('data: {}', { type: 'text/event-stream' });
  expect(outcome).toMatchObject({ headers: { 'content-type': 'text/event-stream' } });
  expect(outcome).not.toHaveProperty('verdict');
});

test.each(['text/plain', '', 'text/html; charset=utf-8'])('an object is JSON, though its type is "%s"', (type) => {
  const body = '{"choices":[{"message":{}}]}';
  expect(taken(body, { type }).headers).toEqual({ 'content-type': 'application/json' });
  expect(taken(body.replace('{', '{"error":null,'), { type }).headers).toEqual({ 'content-type': 'application/json' });
});

test.each([
  ['{"error":{"message":"upstream is busy","code":429}}', 429],
  ['{"id":"x","error":{"code":"402"},"choices":[]}', 402],
  ['{"choices":[{"message":{"content":"ha"},"error":{"code":403,"message":"flagged"}}]}', 403],
  ['{"choices":[{"message":{},"error":{"code":429}}]}', 429],
  ['{"error":{"message":"no","status":403}}', 403],
])('an error in place of an answer has the status that it names: %s', (body, status) => {
  expect(taken(body)).toEqual({ status, body, headers: { 'content-type': 'application/json' } });
});

test.each([
  '{"error":"broken"}',
  '{"error":{"code":200}}',
  '{"error":{"code":"bad_thing"}}',
  '{"error":{"code":502},"choices":[]}',
  '{}',
  '{"response":"of another protocol"}',
  '{"choices":[]}',
  '{"choices":null,"usage":{"total_tokens":3}}',
  '{"choices":[null]}',
  '{"choices":[{"finish_reason":"stop"}]}',
  '{"choices":[{"message":null}]}',
  '{"choices":[{"message":{"content":"half"},"finish_reason":"error"}]}',
  '{"choices":[{"message":{"content":""},"error":{"code":502,"message":"upstream"}}]}',
])('an error that may pass, and an answer without a choice, is none: %s', (body) => {
  expect(taken(body)).toMatchObject({ status: 200, verdict: 'no-choice' });
});

const taking = (body: string, path: CallPath) =>
  takeAnswer({ status: 200, headers: { 'content-type': 'application/json' }, body }, formOf(path)).verdict;

test('an answer of the Messages protocol must have a list of blocks, vectors may not come as an error', () => {
  expect(taking('{"content":null}', 'messages')).toBe('no-choice');
  expect(taking('{"type":"message"}', 'messages')).toBe('no-choice');
  expect(taking('{"object":"list"}', 'embeddings')).toBe('no-choice');
  expect(taking('{"created":1}', 'images/generations')).toBe('no-choice');
  expect(taking('{"type":"error","error":{"type":"overloaded_error"}}', 'messages')).toBe('no-choice');
  expect(taking('{"content":[],"stop_reason":"end_turn"}', 'messages')).toBeUndefined();
  expect(taking('{"data":[],"error":"busy"}', 'embeddings')).toBe('no-choice');
  expect(taking('{"data":[{"embedding":[1]}],"error":null}', 'embeddings')).toBeUndefined();
});

test('an error beside broken JSON is no answer', () => {
  expect(taken('{"error":1} {}')).toMatchObject({ status: 200, verdict: 'unusable' });
});

test.each<[CallPath, string]>([
  ['chat/completions', '{"choices":[{"message":{"content":"an \\"error\\""}}],"error":null}'],
  ['chat/completions', '{"choices":[{"message":{"content":"ok"}}],"error":{"code":500}}'],
  ['embeddings', '{"data":[{"embedding":[1]}],"error":{}}'],
  ['messages', '{"content":[{"type":"text","text":"\\"error\\""}]}'],
])('an answer of %s that speaks of errors is one: %s', (path, body) => {
  expect(taking(body, path)).toBeUndefined();
});

test('refusals are left alone', () => {
  expect(taken('', { status: 500 })).not.toHaveProperty('verdict');
});
