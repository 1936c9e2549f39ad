import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Call, type CallOutcome, DataDesignerError } from '@data-designer/core';
import { Admission, type Permit } from '../admission/admission.ts';
import { fixedLimit } from '../admission/permit-source.ts';
import { AttemptJudge, TimedOut } from './attempt-judge.ts';
import { EndpointHealth } from './endpoint-health.ts';
import { sendWithRetries } from './send-with-retries.ts';

const CALL: Call = {
  resource: 'model/here/small',
  path: 'chat/completions',
  row: 0,
  column: 'aside',
  call: 0,
  body: '{}',
  timeoutMs: 60_000,
};

function outcomeOf(status: number): CallOutcome {
  return { status, headers: {}, body: '{}' };
}

function fails(): DataDesignerError {
  return new DataDesignerError('internal/unexpected', { reason: 'it was answered' });
}

test('a retry queues with the priority of its call, whatever its row', async () => {
  const { signal } = new AbortController();
  const admission = new Admission(fixedLimit(1));
  const order: string[] = [];
  const first = await admission.acquire(9, signal);
  let holder: Permit | undefined;
  const sent = sendWithRetries(
    CALL,
    {
      policy: { baseMs: 1, maxMs: 1, maxAttempts: 4 },
      request: async () => {
        order.push('tried');
        if (order.length > 1) return outcomeOf(200);
        // The next holder keeps the permit until the call waits again.
        admission.request(3, (permit) => (holder = permit));
        return outcomeOf(500);
      },
      late: fails,
      unreachable: fails,
    },
    { permit: first, admission, priority: 9, signal, paused: signal },
  );
  await expect.poll(() => holder && admission.waiting).toBe(1);
  admission.request(5, (permit) => {
    order.push('another');
    permit.release();
  });
  holder?.release();
  expect(await sent).toMatchObject({ status: 200 });
  expect(order).toEqual(['tried', 'another', 'tried']);
});

test('a call that waited as the endpoint asked gets a permit for its retry, although its time has ended', async () => {
  const { signal } = new AbortController();
  const admission = new Admission(fixedLimit(1));
  const answers = [{ ...outcomeOf(429), headers: { 'retry-after': '0.02' } }, outcomeOf(200)];
  let holder: Permit | undefined;
  const sent = sendWithRetries(
    { ...CALL, timeoutMs: 30 },
    {
      health: new EndpointHealth(),
      request: async () => {
        admission.request(0, (permit) => (holder = permit));
        return answers.shift() ?? outcomeOf(500);
      },
      late: fails,
      unreachable: fails,
      mustWait: fails,
    },
    { permit: await admission.acquire(0, signal), admission, priority: 9, signal, paused: signal },
  );
  await expect.poll(() => holder).toBeDefined();
  await sleep(60);
  holder?.release();
  expect(await sent).toMatchObject({ status: 200, tries: { requests: 2 } });
});

test('the times of a column are those of its answered requests, not of refused ones or of waits', async () => {
  const { signal } = new AbortController();
  const clock = { ms: 0, now: () => clock.ms, after: () => () => {} };
  const admission = new Admission(fixedLimit(1), { clock });
  const answers = [outcomeOf(500), outcomeOf(200)];
  await sendWithRetries(
    CALL,
    {
      policy: { baseMs: 1, maxMs: 1, maxAttempts: 4 },
      request: async () => {
        clock.ms += 64;
        return answers.shift() ?? outcomeOf(500);
      },
      late: fails,
      unreachable: fails,
    },
    { permit: await admission.acquire(9, signal), admission, priority: 9, signal, paused: signal },
  );
  expect(admission.times).toEqual({ aside: { ended: [[expect.closeTo(64), 1]], running: [] } });
});

const ANSWER = { ...outcomeOf(200), body: '{"usage":{"prompt_tokens":7,"completion_tokens":2}}' };
/** In a round of one request of each call, as much time passes as between two control requests. */
const ROUND_MS = 9000;

/**
 * Sends calls that always fail, at an endpoint that has answered this run or an earlier one. `control` is the end of a control request.
 * The run is stopped after so many rounds.
 */
async function failAlways(
  calls: number,
  control: CallOutcome,
  { rounds = 60, isResumed = true, failure = outcomeOf(500) } = {},
) {
  const clock = { ms: 0, now: () => clock.ms };
  const health = new EndpointHealth(clock);
  if (isResumed) health.servedEarlier();
  else health.answered();
  health.control.remember({ ...CALL, body: '"known"' }, '');
  const paused = new AbortController();
  const sent: string[] = [];
  const paid: CallOutcome[] = [];
  const transport = {
    policy: { baseMs: 1, maxMs: 1, maxAttempts: 4 },
    health,
    late: fails,
    unreachable: fails,
    request: async (_: number, onSent: () => void, { body }: Call = CALL) => {
      onSent();
      sent.push(body);
      clock.ms += ROUND_MS / calls;
      if (sent.length === rounds * calls) paused.abort(fails());
      return body === CALL.body ? failure : control;
    },
  };
  const admission = new Admission(fixedLimit(calls));
  const { signal } = new AbortController();
  const permits = await Promise.all(Array.from({ length: calls }, () => admission.acquire(0, signal)));
  const onOutcome = (outcome: CallOutcome) => void paid.push(outcome);
  const options = { admission, priority: 0, signal, paused: paused.signal, onOutcome };
  const ends = await Promise.allSettled(
    permits.map((permit, row) => sendWithRetries({ ...CALL, row }, transport, { ...options, permit })),
  );
  return { ends, health, clock, paid, controls: sent.filter((body) => body !== CALL.body).length };
}

const PAGE = { ...outcomeOf(418), body: '<p>refused</p>' };

test.each([
  { calls: 1, failure: outcomeOf(500) },
  { calls: 8, failure: outcomeOf(500) },
  { calls: 20, failure: outcomeOf(500) },
  { calls: 1, failure: PAGE },
  { calls: 8, failure: PAGE },
])(
  'calls that fail are given up while a request answered before is answered again: $calls of $failure.status',
  async ({ calls, failure }) => {
    const { ends, controls, paid } = await failAlways(calls, ANSWER, { failure });
    const tries = ends.map((end) =>
      end.status === 'fulfilled' && end.value.status === failure.status ? end.value.tries : undefined,
    );
    expect(tries.map((one) => (one?.requests ?? 99) <= 12)).toEqual(tries.map(() => true));
    expect(controls).toBeGreaterThan(2);
    expect(controls).toBeLessThan(12);
    expect(tries.every((one) => one?.othersAnswered)).toBe(true);
    // Usage has what they cost, and so has the budget.
    expect(tries.reduce((sum, one) => sum + (one?.spent?.input ?? 0), 0)).toBe(controls * 7);
    expect(paid.filter((one) => one === ANSWER)).toHaveLength(controls);
  },
);

test.each([
  { calls: 1, isResumed: true },
  { calls: 1, isResumed: false },
  { calls: 8, isResumed: false },
])('calls wait for an endpoint that does not answer what it has answered before: %j', async ({ calls, isResumed }) => {
  const { ends, controls, health, clock } = await failAlways(calls, outcomeOf(503), { rounds: 30, isResumed });
  expect(ends.map(({ status }) => status)).toEqual(ends.map(() => 'rejected'));
  expect(controls).toBeGreaterThan(0);
  expect(health.servesNobody('failed', CALL)).toBe(false);
  clock.ms = 400_000;
  expect(health.servesNobody('failed', CALL)).toBe(true);
});

test('an endpoint that fails the first eight calls is asked what a waiting call asks, before it counts as down', async () => {
  const run = async (known: CallOutcome) => {
    const clock = { ms: 0, now: () => clock.ms };
    const health = new EndpointHealth(clock);
    const admission = new Admission(fixedLimit(9));
    const { promise: ninth, resolve: begun } = Promise.withResolvers<void>();
    let sent = 0;
    const transportOf = (own: Call) => ({
      policy: { baseMs: 1, maxMs: 1, maxAttempts: 4 },
      health,
      late: fails,
      unreachable: fails,
      request: async (_: number, onSent: () => void, { body } = own) => {
        onSent();
        if (++sent > 8) await ninth;
        if (body === CALL.body) return outcomeOf(500);
        // The eight calls would use up their attempts meanwhile.
        if (own.body === CALL.body) await sleep(50);
        clock.ms += 9000;
        return known;
      },
    });
    const { signal } = new AbortController();
    const paused = new AbortController();
    const send = async (call: Call) => {
      const permit = await admission.acquire(0, signal);
      const options = { permit, admission, priority: 0, signal, paused: paused.signal };
      return sendWithRetries(call, transportOf(call), options);
    };
    let isDown = false;
    const failing = Array.from({ length: 8 }, async (_, row) => {
      const end = await send({ ...CALL, row });
      isDown ||= health.servesNobody('failed', CALL);
      return end;
    });
    await expect.poll(() => health.admits({})).toBe(false);
    const waiting = Promise.allSettled([send({ ...CALL, row: 8, body: '"known"' })]);
    await setImmediate();
    begun();
    const ends = await Promise.all(failing);
    paused.abort(fails());
    const [last] = await waiting;
    return { isDown, last, controls: ends.filter(({ tries }) => (tries?.requests ?? 0) > 4).length };
  };
  expect(await run(ANSWER)).toMatchObject({ isDown: false, last: { value: ANSWER } });
  expect(await run(outcomeOf(503))).toMatchObject({ isDown: true, last: { status: 'rejected' }, controls: 1 });
});

test('a call that times out asks whether the endpoint answers others, unless it has since', () => {
  const health = new EndpointHealth();
  health.answered();
  health.control.remember({ ...CALL, body: '"known"' }, '');
  let isWanted = false;
  const judge = new AttemptJudge(CALL, {
    request: () => Promise.reject(fails()),
    late: fails,
    unreachable: fails,
    health,
    isWanted: () => isWanted,
  });
  for (const _ of [1, 2]) {
    judge.begin()();
    judge.judgeFailure(new TimedOut(), 1000);
  }
  health.answered();
  expect(judge.takeControl()).toBeUndefined();
  judge.judgeFailure(new TimedOut(), 1000);
  isWanted = true;
  expect(judge.takeControl(), 'a call that waits is sent and shows the same').toBeUndefined();
  isWanted = false;
  expect(judge.takeControl()?.body).toBe('"known"');
});
