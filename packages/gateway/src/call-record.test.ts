import { type Call, type CallOutcome, DataDesignerError, type Resource } from '@data-designer/core';
import { expect, test } from 'vitest';
import { type CallRecord, recordOf } from './call-record.ts';
import { CallRecorder } from './call-recorder.ts';
import { modelTargetOf } from './admission/model-state.ts';

const MODEL: Resource = { id: 'model/own%2Fone/org/m', kind: 'model', provider: 'own/one', limit: 1, pool: 'm' };
const TOOLS: Resource = { id: 'tools/facts', kind: 'tools', provider: 'facts', limit: 1, pool: 'facts' };
const WEB: Resource = { id: 'web', kind: 'server', provider: '', limit: 1, pool: 'web' };

const call: Call = {
  row: 3,
  column: 'text',
  call: 1,
  resource: MODEL.id,
  path: 'chat/completions',
  body: '{}',
  timeoutMs: 1000,
  origin: { alias: 'writer', purpose: 'correction' },
};
const toolCall = { ...call, resource: TOOLS.id, path: 'tools/call', body: '{"name":"look","arguments":{}}' };

function modelRecord(end: CallOutcome | DataDesignerError, more: Partial<Call> = {}): CallRecord | undefined {
  const times = { startedAtMs: 1000, elapsedMs: 20 };
  return recordOf({ call: { ...call, ...more }, group: 2, resource: MODEL, server: 'here:80', ...times, end });
}

function toolRecord(end: CallOutcome | DataDesignerError): CallRecord | undefined {
  return recordOf({ call: toolCall, group: 2, resource: TOOLS, server: '', startedAtMs: 1000, elapsedMs: 20, end });
}

const ok = (body: object): CallOutcome => ({ status: 200, headers: {}, body: JSON.stringify(body) });
const usage = { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 3 } };
const choices = [{ message: { role: 'assistant', content: 'It is "model": "none".' }, finish_reason: 'stop' }];

test('the record of an answer has its address, alias, models and tokens', () => {
  expect(modelRecord(ok({ choices, model: 'm-2026', usage }))).toEqual({
    kind: 'model',
    group: 2,
    row: 3,
    column: 'text',
    call: 1,
    alias: 'writer',
    purpose: 'correction',
    provider: 'own/one',
    model: 'org/m',
    answeredBy: 'm-2026',
    operation: 'chat',
    server: 'here:80',
    startedAtMs: 1000,
    elapsedMs: 20,
    status: 200,
    error: null,
    requests: 1,
    refused: 0,
    tokens: { input: 10, cachedInput: 3, output: 4, reasoning: null },
  });
});

test('tokens of unusable answers count too', () => {
  const tries = { requests: 3, refused: 1, possiblyPaid: 0, spent: { input: 5, cachedInput: 1, output: 2 } };
  expect(modelRecord({ ...ok({ choices, usage }), tries })).toMatchObject({
    requests: 3,
    refused: 1,
    tokens: { input: 15, cachedInput: 4, output: 6 },
    answeredBy: null,
  });
});

const late = { model: 'm', timeoutMs: 9, tries: { requests: 2, refused: 0, possiblyPaid: 2 } };

test.each<[string, CallOutcome | DataDesignerError, object]>([
  ['a refusal', { status: 401, headers: {}, body: 'no' }, { status: 401, error: 'model/unauthorized', requests: 1 }],
  ['a last 429', { status: 429, headers: {}, body: '' }, { status: 429, error: 'model/rate-limited', refused: 1 }],
  ['a success without an answer', { ...ok({}), verdict: 'no-choice' }, { status: 200, error: 'model/no-choice' }],
  [
    'a timeout',
    new DataDesignerError('model/timed-out', late),
    { status: null, error: 'model/timed-out', requests: 2, tokens: null },
  ],
  [
    'a call that was given up',
    new DataDesignerError('run/aborted', { reason: 'the row was abandoned' }),
    { status: null, error: 'run/aborted', requests: null },
  ],
])('the record of %s says how it failed', (_, end, expected) => {
  expect(modelRecord(end)).toMatchObject(expected);
});

test('a call for which nothing was sent has no record, nor has a call to another server', () => {
  expect(modelRecord({ status: 401, headers: {}, body: '', tries: { requests: 0, refused: 0, possiblyPaid: 0 } })).toBe(
    undefined,
  );
  expect(modelRecord(new DataDesignerError('internal/unexpected', { reason: 'x' }))).toBe(undefined);
  expect(recordOf({ call, group: 0, resource: WEB, server: '', startedAtMs: 0, elapsedMs: 0, end: ok({}) })).toBe(
    undefined,
  );
});

test.each<[CallOutcome | DataDesignerError, string | null]>([
  [ok({ content: [{ type: 'text', text: '"isError":true' }] }), null],
  [ok({ content: [], isError: true }), 'tool/failed'],
  [{ status: 502, headers: {}, body: 'it is gone' }, 'tool/failed'],
  [{ status: 504, headers: {}, body: 'too late' }, 'tool/timed-out'],
  [new DataDesignerError('tool/unavailable', { provider: 'facts', reason: 'gone' }), 'tool/unavailable'],
])('a tool call is recorded with its name and failure', (end, error) => {
  expect(toolRecord(end)).toMatchObject({ kind: 'tool', provider: 'facts', tool: 'look', error });
});

test('the name of a resource tells operation, provider and model', () => {
  expect(modelTargetOf(MODEL.id)).toEqual({ operation: 'chat', provider: 'own/one', model: 'org/m' });
  expect(modelTargetOf('embedding/own/e')).toEqual({ operation: 'embeddings', provider: 'own', model: 'e' });
  expect(modelTargetOf('image/own/i')).toEqual({ operation: 'generate_content', provider: 'own', model: 'i' });
});

test('a recorder hands on records of answers and failures, in batches', async () => {
  const batches: (readonly CallRecord[])[] = [];
  const recorder = new CallRecorder((calls) => batches.push(calls));
  const recorded = { call, group: 0, resource: MODEL, server: '' };
  const outcome = ok({ choices, usage });
  expect(await recorder.during(recorded, () => Promise.resolve({ outcome }))).toEqual({ outcome });
  const failure = new DataDesignerError('run/aborted', { reason: 'x' });
  await expect(recorder.during(recorded, () => Promise.reject(failure))).rejects.toBe(failure);
  expect(batches).toEqual([]);
  recorder.flush();
  recorder.flush();
  expect(batches.map((calls) => calls.map(({ error }) => error))).toEqual([[null, 'run/aborted']]);
});
