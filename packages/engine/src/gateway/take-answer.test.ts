import { expect, test } from 'vitest';
import { takeAnswer } from './take-answer.ts';

const taken = (body: string, { status = 200, type = 'application/json' } = {}) =>
  takeAnswer({ status, headers: type === '' ? {} : { 'content-type': type }, body });

test('an object is an answer, and taken as it is', () => {
  for (const body of ['{"choices":[]}', ' \r\n{"a":{}}\n', '{}']) {
    const outcome = { status: 200, headers: { 'content-type': 'application/json' }, body };
    expect(takeAnswer(outcome)).toBe(outcome);
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
  expect(taken('{"choices":[1]}', { type }).headers).toEqual({ 'content-type': 'application/json' });
  expect(taken('{"choices":[1],"error":null}', { type }).headers).toEqual({ 'content-type': 'application/json' });
});

test.each([
  ['{"error":{"message":"upstream is busy","code":429}}', 429],
  ['{"id":"x","error":{"code":"502"},"choices":[]}', 502],
  ['{"error":{"message":"no","status":403}}', 403],
])('an error in place of an answer has the status that it names: %s', (body, status) => {
  expect(taken(body)).toEqual({ status, body, headers: { 'content-type': 'application/json' } });
});

test.each(['{"error":"broken"}', '{"error":{"code":200}}', '{"error":{"code":"bad_thing"}}', '{"error":1} {}'])(
  'an error without a status is no answer: %s',
  (body) => {
    expect(taken(body)).toMatchObject({ status: 200, verdict: 'unusable' });
  },
);

test.each([
  '{"choices":[{"message":{"content":"an \\"error\\""}}],"error":null}',
  '{"choices":[{"message":{"content":"ok"}}],"error":{"code":500}}',
  '{"data":[{"embedding":[1]}],"error":{}}',
  '{"content":[{"type":"text","text":"\\"error\\""}]}',
])('an answer that speaks of errors is one: %s', (body) => {
  expect(taken(body)).toEqual({ status: 200, headers: { 'content-type': 'application/json' }, body });
});

test('refusals are left alone', () => {
  expect(taken('', { status: 500 })).not.toHaveProperty('verdict');
});
