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

test('a JSON object with a choice is accepted unchanged', () => {
  for (const body of ['{"choices":[{"message":{}}]}', ' \r\n{"choices": [ {"message": {}} ]}\n']) {
    const outcome = { status: 200, headers: { 'content-type': 'application/json' }, body };
    expect(takeAnswer(outcome, CHAT)).toBe(outcome);
  }
});

test.each(['', ' \n', '<html>no</html>', '{"choices":[{"mess', 'null', '[1]', '"text"', '{'])(
  'the body %j is unusable',
  (body) => {
    expect(taken(body)).toMatchObject({ status: 200, body, verdict: 'unusable' });
  },
);

test.each([
  '{"choices":[{"message":{"content":"cut {}}',
  '{"choices":[{"message":{}}]}{"choices":[{"message":{}}]}',
  '{"choices":[{"message":{}}]} and {}',
  '{"choices":[{"message":{"content":"a\nb"}}]}',
])('a body that looks usable and is no JSON is unusable: %j', (body) => {
  expect(taken(body)).toMatchObject({ status: 200, body, verdict: 'unusable' });
});

test('a byte order mark before the answer is left out', () => {
  const body = '{"choices":[{"message":{}}]}';
  expect(taken(`\uFEFF${body}`)).toEqual({ status: 200, body, headers: { 'content-type': 'application/json' } });
});

test('an answer that came as a stream of events is joined', () => {
  const stream = [
    ': keep-alive',
    'data: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"he"}}]}',
    'event: message\r\ndata: {"choices":[{"delta":{"content":"llo"},"finish_reason":"stop"}]}',
    'data: {"choices":[],"usage":{"prompt_tokens":3}}',
    'data: [DONE]',
  ].join('\n\n');
  expect(JSON.parse(taken(stream, { type: 'text/event-stream' }).body)).toEqual({
    id: '1',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3 },
  });
});

test.each([
  'data: {}',
  'data: {"choices":[{"delta":{"content":"he"}}]}\n\n',
  'data: {"choices":[{"delta":{"content":"he"}}]}\n\ndata: [DONE]\n\n',
  'data: {"choices":[{"delta":{"content":"he"}}]}\n\ndata: {"x\n\ndata: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: {"choices":[{"delta":{"content":"b"}}]}\n\n',
  'data: {"choices":[{"delta":{"content":"he"}}]}\n\ndata: {"cho',
  ': waiting\n\n: waiting\n\n',
])('a stream that ends before its answer is unusable: %j', (stream) => {
  expect(taken(stream, { type: 'text/event-stream' })).toMatchObject({ verdict: 'unusable', body: stream });
});

test('an error event of a stream has the status that it names', () => {
  const begun = 'data: {"choices":[{"delta":{"content":"he"}}]}\n\n';
  expect(taken(`${begun}data: {"error":{"code":429}}\n\n`)).toMatchObject({ status: 429 });
  expect(taken(`${begun}data: {"error":{"message":"lost"}}\n\n`)).toMatchObject({ verdict: 'no-choice' });
});

test.each([
  ['event: error\ndata: {"message":"boom","code":429}', 429],
  ['event: error\ndata: boom', 200],
  ['event: error\rdata: {"error":{"type":"rate_limit_error"}}', 429],
  ['data: {"object":"error","message":"died","code":401}', 401],
])('an error in a stream counts, also before a finish reason and [DONE]: %j', (event, status) => {
  const begun = 'data: {"choices":[{"delta":{"content":"he"}}]}';
  const end = 'event: end\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  const outcome = taken(`${begun}\n\n${event}\n\n${end}`);
  expect(outcome.status).toBe(status);
  expect(outcome.verdict).toBe(status === 200 ? 'no-choice' : undefined);
  expect(outcome.body).toMatch(/boom|rate_limit_error|died/);
});

test('a stream of any line ends, without spaces, empty lines or a last line end is read, and its numbers keep their digits', () => {
  const chunks = [
    '{"choices":[{"delta":{"content":"h "}}]}',
    '{"choices":[{"delta":{"extra_content":{"n":[1.0,1e3,-0,12345678901234567890]}},"finish_reason":"stop"}]}',
  ];
  const message = '{"role":"assistant","content":"h ","extra_content":{"n":[1.0,1e3,-0,12345678901234567890]}}';
  const joins = [
    '\ndata:\ndata: ',
    '\n\nevent: error\n\ndata: ',
    '\n\ndata: ',
    '\r\n\r\ndata: ',
    '\r\rdata:',
    '\ndata: ',
    '\n\n: ping\n\nid: 1\nevent: chunk\ndata:  ',
  ];
  for (const join of joins) {
    for (const end of ['', '\n\n', `${join}[DONE]`, `${join}[DONE]\n\nnothing`]) {
      expect(taken(`retry: 1${join}${chunks.join(join)}${end}`).body).toContain(message);
    }
  }
  const [first = '', second = ''] = chunks;
  expect(taken(`event: message\ndata: ${first}\n\ndata: ${second}`).body).toContain(message);
  const stops = first.replace('}}', '},"finish_reason":"stop"}');
  expect(taken(`data: ${stops}\n\ndata: ${stops}\n\ndata: [DONE]`).body).toContain('"h\u2028h\u2028"');
  expect(
    taken(`data: ${first.replace(',"', ',\ndata:"').replace('[{', '[\ndata: {')}\n\ndata: ${second}`).body,
  ).toContain(message);
});

test.each(['text/plain', '', 'text/html; charset=utf-8'])(
  'a JSON object of type "%s" gets the JSON content type',
  (type) => {
    const body = '{"choices":[{"message":{}}]}';
    expect(taken(body, { type }).headers).toEqual({ 'content-type': 'application/json' });
    expect(taken(body.replace('{', '{"error":null,'), { type }).headers).toEqual({
      'content-type': 'application/json',
    });
  },
);

test.each([
  ['{"error":{"message":"upstream is busy","code":429}}', 429],
  ['{"id":"x","error":{"code":"402"},"choices":[]}', 402],
  ['{"choices":[{"message":{"content":"ha"},"error":{"code":403,"message":"flagged"}}]}', 403],
  ['{"choices":[{"message":{},"error":{"code":429}}]}', 429],
  ['{"error":{"message":"no","status":403}}', 403],
  ['{"error":{"type":"rate_limit_error","code":"rate_limit_exceeded"}}', 429],
  ['{"error":{"type":"invalid_request_error","code":"invalid_api_key"}}', 401],
  ['{"error":{"code":7,"status":"RESOURCE_EXHAUSTED"}}', 429],
  ['{"type":"error","error":{"type":"authentication_error"}}', 401],
  ['{"object":"error","message":"no such model","type":"NotFoundError","code":404}', 404],
  ['{"status_code":429,"message":"slow down"}', 429],
  ['{"errors":[{"code":403,"message":"no"}],"result":null}', 403],
])('an error without an answer sets the status that it names: %s', (body, status) => {
  expect(taken(body)).toEqual({ status, body, headers: { 'content-type': 'application/json' } });
});

test.each([
  '{"error":"broken"}',
  '{"error":{"code":200}}',
  '{"error":{"code":"bad_thing"}}',
  '{"error":{"type":"overloaded_error"}}',
  '{"object":"error","message":"died","code":500}',
  '{"detail":"Not Found"}',
  '{"errors":[]}',
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
])('a transient error or an answer without a choice gets the verdict no-choice: %s', (body) => {
  expect(taken(body)).toMatchObject({ status: 200, verdict: 'no-choice' });
});

const taking = (body: string, path: CallPath) =>
  takeAnswer({ status: 200, headers: { 'content-type': 'application/json' }, body }, formOf(path)).verdict;

test('an answer of the Messages protocol needs a list of blocks, and embeddings next to an error are rejected', () => {
  expect(taking('{"content":null}', 'messages')).toBe('no-choice');
  expect(taking('{"type":"message"}', 'messages')).toBe('no-choice');
  expect(taking('{"object":"list"}', 'embeddings')).toBe('no-choice');
  expect(taking('{"created":1}', 'images/generations')).toBe('no-choice');
  expect(taking('{"type":"error","error":{"type":"overloaded_error"}}', 'messages')).toBe('no-choice');
  expect(taking('{"content":[],"stop_reason":"end_turn"}', 'messages')).toBeUndefined();
  expect(taking('{"data":[],"error":"busy"}', 'embeddings')).toBe('no-choice');
  expect(taking('{"data":[{"embedding":[1]}],"error":null}', 'embeddings')).toBeUndefined();
});

test('an error in broken JSON is unusable', () => {
  expect(taken('{"error":1} {}')).toMatchObject({ status: 200, verdict: 'unusable' });
});

test.each<[CallPath, string]>([
  ['chat/completions', '{"choices":[{"message":{"content":"an \\"error\\""}}],"error":null}'],
  ['chat/completions', '{"choices":[{"message":{"content":"ok"}}],"error":{"code":500}}'],
  ['embeddings', '{"data":[{"embedding":[1]}],"error":{}}'],
  ['messages', '{"content":[{"type":"text","text":"\\"error\\""}]}'],
])('an answer of %s that mentions an error is accepted: %s', (path, body) => {
  expect(taking(body, path)).toBeUndefined();
});

test('refusals get no verdict', () => {
  expect(taken('', { status: 500 })).not.toHaveProperty('verdict');
});
