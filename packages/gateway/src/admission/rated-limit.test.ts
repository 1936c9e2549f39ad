import { expect, test } from 'vitest';
import { VirtualTime } from '../../test/virtual-time.ts';
import { Admission, type Permit } from './admission.ts';
import { ANSWERED, fixedLimit, OTHER } from './permit-source.ts';
import { RatedLimit, type Rates } from './rated-limit.ts';

const MINUTE_MS = 60_000;

/** Calls without end that ask for permits of a model with rates; `end` says how each request ends after 100 ms. */
function flood(rates: Rates, end: (permit: Permit, sentAt: number) => void, parallel = 50) {
  const time = new VirtualTime();
  const admission = new Admission(new RatedLimit(fixedLimit(parallel), rates), { clock: time });
  const sentAt: number[] = [];
  const send = (permit: Permit): void => {
    const at = time.now();
    sentAt.push(at);
    permit.sent(1, 400);
    admission.request(sentAt.length, send);
    time.after(100, () => end(permit, at));
  };
  for (let row = 0; row < 2 * parallel; row++) admission.request(row, send);
  return { time, admission, sentAt };
}

/** The largest sum of any minute; sums of fractions may miss its end by a trifle. */
function mostPerMinute(times: readonly number[], amount = 1): number {
  let [most, first] = [0, 0];
  for (const [last, time] of times.entries()) {
    while ((times[first] as number) <= time - MINUTE_MS + 1) first++;
    most = Math.max(most, (last - first + 1) * amount);
  }
  return most;
}

test.each([1, 7, 60, 600, 30_000])(
  '%d requests per minute are reached and never exceeded',
  { tags: 'long' },
  (perMinute) => {
    const { time, sentAt } = flood({ requestsPerMinute: perMinute }, (permit) => permit.release(ANSWERED), 500);
    time.run(3 * MINUTE_MS);
    expect(mostPerMinute(sentAt)).toBeLessThanOrEqual(perMinute);
    expect(sentAt.length).toBeGreaterThan(3 * perMinute * 0.98);
  },
);

test('tokens per minute follow the tokens of the answers, whatever was expected', () => {
  for (const output of [10, 3000]) {
    const tokens = { input: 100, cachedInput: 0, output };
    const { time, sentAt } = flood({ tokensPerMinute: 100_000 }, (permit) => permit.release(ANSWERED, tokens));
    time.run(10 * MINUTE_MS);
    const sent = sentAt.filter((at) => at >= MINUTE_MS);
    expect(mostPerMinute(sent, 100 + output)).toBeLessThan(105_000);
    expect((sent.length * (100 + output)) / 9).toBeGreaterThan(95_000);
  }
});

test('a request that is larger than the tokens of a minute is sent, and the next ones wait for what it took', () => {
  const tokens = { input: 2000, cachedInput: 0, output: 1000 };
  const { time, sentAt } = flood({ tokensPerMinute: 1000 }, (permit) => permit.release(ANSWERED, tokens), 1);
  time.run(10 * MINUTE_MS);
  expect(sentAt.length).toBe(4);
});

test('a permit that is not used gives back what it took, and a refused request gives back its tokens', () => {
  const time = new VirtualTime();
  const admission = new Admission(new RatedLimit(fixedLimit(5), { requestsPerMinute: 1, tokensPerMinute: 1000 }), {
    clock: time,
  });
  for (let unused = 0; unused < 3; unused++) {
    const permit = admission.take();
    expect(permit).toBeDefined();
    permit?.release(OTHER);
  }
  const refused = admission.take();
  refused?.sent(1, 400);
  refused?.release({ kind: 'refused', retryAfterMs: undefined });
  let granted = 0;
  admission.request(0, () => granted++);
  expect([granted, admission.rateWait]).toEqual([0, 'requests_per_minute']);
  time.run(MINUTE_MS - 1);
  expect(granted).toBe(0);
  time.run(MINUTE_MS + 1);
  expect([granted, admission.rateWait]).toEqual([1, undefined]);
});

test('a wait for a rate ends early once answers have fewer tokens than expected, and is no pause', () => {
  const time = new VirtualTime();
  const admission = new Admission(new RatedLimit(fixedLimit(5), { tokensPerMinute: 6000 }), { clock: time });
  const first = admission.take();
  first?.sent(1, 40_000);
  const granted: number[] = [];
  admission.request(0, () => granted.push(time.now()));
  expect([admission.rateWait, admission.stoppedMs]).toEqual(['tokens_per_minute', 0]);
  time.after(1000, () => first?.release(ANSWERED, { input: 150, cachedInput: 0, output: 50 }));
  time.run(MINUTE_MS);
  expect(granted).toEqual([expect.closeTo(2000, -2)]);
});
