import { expect, test } from 'vitest';
import { type CallOutcome, DataDesignerError } from '@data-designer/core';
import { AttemptJudge } from './attempt-judge.ts';
import { EndpointHealth } from './endpoint-health.ts';

const CALL = {
  resource: 'model/here/small',
  path: 'chat/completions',
  row: 0,
  column: 'a',
  call: 0,
  body: '{}',
  timeoutMs: 60_000,
};

const answerOf = (status: number, body = '', more: Partial<CallOutcome> = {}): CallOutcome => ({
  status,
  headers: {},
  body,
  ...more,
});

const failure = () => new DataDesignerError('internal/unexpected', { reason: '' });

/** A judge of a call to an endpoint that has answered once. */
function judging(health = new EndpointHealth()) {
  health.answered();
  return {
    health,
    judge: new AttemptJudge(CALL, {
      request: () => Promise.reject(failure()),
      late: failure,
      unreachable: failure,
      health,
    }),
  };
}

const JSON_ERROR = '{"error":{"message":"no"}}';

const OUTAGES: readonly CallOutcome[] = [
  answerOf(200, '<html>', { verdict: 'unusable' }),
  answerOf(200, '', { verdict: 'unusable' }),
  answerOf(200, JSON_ERROR, { verdict: 'no-choice' }),
  answerOf(302),
  answerOf(307, '<html>login'),
  answerOf(400, '<html>Bad Request'),
  answerOf(401, JSON_ERROR),
  answerOf(401, '<html>'),
  answerOf(403, '<!DOCTYPE html>'),
  answerOf(403, JSON_ERROR),
  answerOf(404, 'page not found'),
  answerOf(404, JSON_ERROR),
  answerOf(405),
  answerOf(408),
  answerOf(410, '<html>'),
  answerOf(500, JSON_ERROR),
  answerOf(502, '<html>'),
  answerOf(511, '<html>'),
  answerOf(521),
];

test.each(OUTAGES)(
  'while an endpoint that has answered answers nobody, an answer without use does not count: %j',
  (one) => {
    const { judge } = judging();
    const ends = Array.from({ length: 20 }, () => judge.judge(one).attempt);
    // The first answer without a choice counts: it is not known yet whether the others are answered.
    const later = one.verdict === 'no-choice' ? ends.slice(1) : ends;
    expect(later).toEqual(later.map(() => ({ again: one, retryAfterMs: undefined, counts: false })));
  },
);

test('a broken connection does not count either', () => {
  const { judge } = judging();
  for (let attempt = 0; attempt < 20; attempt++) {
    expect(judge.judgeFailure(new Error('ECONNRESET'), 1000)).toMatchObject({ counts: false });
  }
});

test.each([answerOf(401, JSON_ERROR), answerOf(403, JSON_ERROR), answerOf(404, JSON_ERROR), answerOf(302, 'moved')])(
  'while others are answered, a refusal in words is final at the third time: %j',
  (one) => {
    const { judge, health } = judging();
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(judge.judge(one).attempt).toMatchObject({ again: one });
      health.answered();
    }
    expect(judge.judge(one).attempt).toEqual({ done: one });
  },
);

test.each([
  answerOf(400, JSON_ERROR),
  answerOf(413, '<html>too large'),
  answerOf(422, JSON_ERROR),
  answerOf(402, JSON_ERROR),
])('a refusal of the content or the account is final at once: %j', (one) => {
  expect(judging().judge.judge(one).attempt).toEqual({ done: one });
});

test.each([answerOf(401, JSON_ERROR), answerOf(403, '<html>'), answerOf(404), answerOf(302)])(
  'a refusal of an endpoint that has answered nobody is final at once: %j',
  (one) => {
    const health = new EndpointHealth();
    const judge = new AttemptJudge(CALL, {
      request: () => Promise.reject(failure()),
      late: failure,
      unreachable: failure,
      health,
    });
    expect(judge.judge(one).attempt).toEqual({ done: one });
  },
);

test('pages count while others are answered, so a page for one request ends its call', () => {
  const { judge, health } = judging();
  const counts = Array.from({ length: 6 }, () => {
    const { attempt } = judge.judge(answerOf(403, '<html>'));
    health.answered();
    return 'again' in attempt && attempt.counts;
  });
  expect(counts).toEqual([false, false, false, false, true, true]);
});
