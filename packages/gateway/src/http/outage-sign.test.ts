import { expect, test } from 'vitest';
import { type CallOutcome, DataDesignerError } from '@data-designer/core';
import { AttemptJudge, type Transport } from './attempt-judge.ts';
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

function transportOf(health: EndpointHealth): Transport {
  return { request: () => Promise.reject(failure()), late: failure, unreachable: failure, health };
}

/** A judge of a call to an endpoint that has answered once. */
function judging(health = new EndpointHealth()) {
  health.answered();
  return { health, judge: new AttemptJudge(CALL, transportOf(health)) };
}

const JSON_ERROR = '{"error":{"message":"no"}}';

const OUTAGES: readonly CallOutcome[] = [
  answerOf(200, '<html>', { verdict: 'unusable' }),
  answerOf(200, '', { verdict: 'unusable' }),
  answerOf(200, JSON_ERROR, { verdict: 'no-choice' }),
  answerOf(302),
  answerOf(307, '<html>login'),
  answerOf(400, '<html>Bad Request'),
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

const REFUSALS = [answerOf(403, JSON_ERROR), answerOf(404, JSON_ERROR), answerOf(302, 'moved')];

/** Answers of the endpoint to other calls that are sent now. */
function passOthers(health: EndpointHealth, times = 3): void {
  for (let answer = 0; answer < times; answer++) health.answered();
}

test.each(REFUSALS)('a refusal in words is final at the third time, with three others answered between: %j', (one) => {
  const { judge, health } = judging();
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(judge.judge(one).attempt).toMatchObject({ again: one });
    passOthers(health);
  }
  expect(judge.judge(one).attempt).toEqual({ done: { ...one, verdict: 'about-this' } });
});

test('a second refusal is final if twice as many others are answered before it', () => {
  const { judge, health } = judging();
  judge.judge(answerOf(403, JSON_ERROR));
  passOthers(health, 6);
  expect(judge.judge(answerOf(403, JSON_ERROR)).attempt).toHaveProperty('done');
});

test('a call that is refused is made again as soon as three later calls are answered', () => {
  const { judge, health } = judging();
  const sentBefore = health.recovery.sent();
  judge.judge(answerOf(403, JSON_ERROR));
  health.answered(sentBefore);
  passOthers(health, 2);
  expect(judge.recovery).toMatchObject({ isDown: false });
  expect(judge.recovery?.isOver()).toBe(false);
  passOthers(health, 1);
  expect(judge.recovery?.isOver()).toBe(true);
});

test('answers to calls that were sent before a refusal say nothing about it', () => {
  const { judge, health } = judging();
  for (let attempt = 0; attempt < 10; attempt++) {
    const sent = [health.recovery.sent(), health.recovery.sent(), health.recovery.sent()];
    expect(judge.judge(answerOf(403, JSON_ERROR)).attempt).toMatchObject({ counts: false });
    for (const request of sent) health.answered(request);
  }
});

const flagged = (id: string) => answerOf(403, JSON.stringify({ error: { message: `Flagged, request ${id}` } }));

test('a kind of refusal that has concerned one request is final at the second time, whatever its identifiers', () => {
  const { judge, health } = judging();
  for (const id of ['a1', 'b2']) {
    judge.judge(flagged(id));
    passOthers(health);
  }
  expect(judge.judge(flagged('c3')).attempt).toHaveProperty('done');
  const next = judging(health).judge;
  expect(next.judge(flagged('d4')).attempt).toHaveProperty('again');
  expect(next.judge(flagged('e5')).attempt).toMatchObject({ done: { verdict: 'about-this' } });
  const other = judging(health).judge;
  for (let attempt = 0; attempt < 10; attempt++) {
    expect(other.judge(answerOf(403, JSON_ERROR)).attempt).toHaveProperty('again');
  }
});

test('a kind of refusal that has passed before is asked again more often', () => {
  const { judge, health } = judging();
  judge.judge(answerOf(403, JSON_ERROR));
  judge.judge(answerOf(200, '{}'));
  const next = judging(health).judge;
  const ends = Array.from({ length: 9 }, () => {
    const { attempt } = next.judge(answerOf(403, JSON_ERROR));
    passOthers(health);
    return 'done' in attempt;
  });
  expect(ends.indexOf(true)).toBe(8);
});

/** The health of an endpoint that has answered, and a clock that a test sets. */
function timed() {
  const clock = { ms: 0, now: () => clock.ms };
  const health = new EndpointHealth(clock);
  health.answered();
  return { clock, health };
}

test('a fault of one call alone is final after half a minute, and while others wait it is not', () => {
  const ends = [false, true].map((isWanted) => {
    const { clock, health } = timed();
    const judge = new AttemptJudge(CALL, { ...transportOf(health), isWanted: () => isWanted });
    return [0, 10_000, 20_000, 29_999, 30_000].map((ms) => {
      clock.ms = ms;
      judge.begin()();
      const { attempt } = judge.judge(answerOf(500, JSON_ERROR));
      return 'done' in attempt ? 'final' : 'counts' in attempt && attempt.counts;
    });
  });
  expect(ends).toEqual([
    [false, false, false, false, 'final'],
    [false, false, false, false, false],
  ]);
});

test('a broken connection that outlasts an outage is final, and an asked wait is waited for', () => {
  const { clock, health } = timed();
  const judge = new AttemptJudge(CALL, transportOf(health));
  for (let attempt = 0; attempt < 4; attempt++) {
    judge.begin()();
    judge.judgeFailure(new Error('ECONNRESET'), 1000);
  }
  clock.ms = 30_000;
  const asked = answerOf(503, '', { headers: { 'retry-after': '9' } });
  expect(judge.judge(asked).attempt).toMatchObject({ again: asked, retryAfterMs: 9000 });
  expect(judge.judgeFailure(new Error('ECONNRESET'), 1000)).toHaveProperty('done');
});

test('a call that fails first when the outage is over has four attempts', () => {
  const { clock, health } = timed();
  health.failing({});
  clock.ms = 40_000;
  const judge = new AttemptJudge(CALL, transportOf(health));
  const ends = Array.from({ length: 4 }, () => {
    judge.begin()();
    return 'done' in judge.judge(answerOf(500, JSON_ERROR)).attempt;
  });
  expect(ends).toEqual([false, false, false, true]);
});

test('a resumed run waits for an endpoint that refuses or fails, as it has answered the run before', () => {
  const health = new EndpointHealth();
  health.servedEarlier();
  const judge = new AttemptJudge(CALL, transportOf(health));
  for (const one of [answerOf(403, '<html>'), answerOf(404), answerOf(503), answerOf(403, JSON_ERROR)]) {
    expect(judge.judge(one).attempt).toMatchObject({ again: one, counts: false });
  }
});

test('calls that are refused for longer than an outage are refused for all, and few for themselves', () => {
  const { clock, health } = timed();
  const refusal = answerOf(403, JSON_ERROR);
  const judges = Array.from({ length: 4 }, () => new AttemptJudge(CALL, transportOf(health)));
  for (const judge of judges.slice(0, 3)) judge.judge(refusal);
  clock.ms = 60_000;
  const ends = judges.map((judge) => judge.judge(refusal).attempt);
  expect(ends).toEqual([
    ...Array.from({ length: 3 }, () => ({ done: refusal })),
    { done: { ...refusal, verdict: 'about-all' } },
  ]);
});

test.each([
  answerOf(400, JSON_ERROR),
  answerOf(413, '<html>too large'),
  answerOf(422, JSON_ERROR),
  answerOf(401, JSON_ERROR),
  answerOf(402, JSON_ERROR),
])('a refusal of the content or the account is final at once: %j', (one) => {
  expect(judging().judge.judge(one).attempt).toEqual({ done: one });
});

test.each([answerOf(401, JSON_ERROR), answerOf(403, '<html>'), answerOf(404), answerOf(302)])(
  'a refusal of an endpoint that has answered nobody is final at once: %j',
  (one) => {
    const health = new EndpointHealth();
    const judge = new AttemptJudge(CALL, transportOf(health));
    expect(judge.judge(one).attempt).toEqual({ done: one });
  },
);

test('a page for one request is final at the fifth time', () => {
  const { judge, health } = judging();
  const ends = Array.from({ length: 5 }, () => {
    const { attempt } = judge.judge(answerOf(403, '<html>'));
    passOthers(health);
    return 'done' in attempt;
  });
  expect(ends).toEqual([false, false, false, false, true]);
});
