import type { Resource } from '@data-designer/core';
import { expect, test } from 'vitest';
import { AdaptiveLimit, ADMISSION_SETTINGS } from './adaptive-limit.ts';
import { JointLimits } from './joint-limits.ts';
import { RatedLimit } from './rated-limit.ts';
import { ANSWERED, type Ending, fixedLimit, type Grant, OTHER, type PermitSource } from './permit-source.ts';

const CAP = 40;
const MODEL: Resource = { id: 'model/here/m', kind: 'model', provider: 'here', limit: CAP, pool: 'model/here/m' };

// The requirements on every source. A new implementation is one more line here.
const SOURCES: readonly (readonly [name: string, open: () => PermitSource])[] = [
  ['fixed', () => fixedLimit(CAP)],
  ['computed', () => fixedLimit(() => CAP)],
  ['adaptive', () => new AdaptiveLimit(CAP)],
  ['adaptive with a ramp', () => new AdaptiveLimit(CAP, { ...ADMISSION_SETTINGS, startupRampSeconds: 5 })],
  [
    'adaptive with a rate',
    () => new RatedLimit(new AdaptiveLimit(CAP), { requestsPerMinute: 1e7, tokensPerMinute: 1e12 }),
  ],
  ['joint', () => new JointLimits([]).permits(MODEL, () => new AdaptiveLimit(CAP))],
];

/** Pseudo-random numbers from 0 to 1, the same in every run of this test. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Requests that take permits from a source, and end as the test specifies. */
class Requests {
  readonly source: PermitSource;
  readonly #grants: Grant[] = [];
  time = 0;

  constructor(source: PermitSource) {
    this.source = source;
  }

  get inFlight(): number {
    return this.#grants.length;
  }

  /** Takes every permit that is available. */
  fill(): void {
    while (this.inFlight < this.source.permits(this.time)) {
      const grant = this.source.grant(this.inFlight + 1, this.time);
      this.#grants.push(grant);
      this.source.sent(grant, { time: this.time, connectMs: 1, bodyChars: 1 });
    }
  }

  /** Whether the source grants a permit after the wait it names. */
  waitForPermit(): boolean {
    this.time += (this.source.untilMore(this.time) ?? 0) + 1;
    return this.source.permits(this.time) >= 1;
  }

  end(at: number, ending: Ending): void {
    for (const grant of this.#grants.splice(at, 1)) {
      this.source.end(grant, ending, { inFlight: this.inFlight, time: this.time });
    }
  }
}

const ENDINGS: readonly Ending[] = [
  ANSWERED,
  OTHER,
  { kind: 'refused', retryAfterMs: undefined },
  { kind: 'refused', retryAfterMs: 700 },
];

test.each(SOURCES)(
  'a source stays below its cap and always grants a permit in time, however requests end: %s',
  { tags: 'long' },
  (_, open) => {
    const draw = numbers(7);
    const requests = new Requests(open());
    for (let step = 0; step < 3000; step++) {
      requests.time += draw() * 200;
      requests.fill();
      expect(requests.inFlight).toBeLessThanOrEqual(CAP);
      expect(requests.source.size).toBeGreaterThanOrEqual(1);
      expect(requests.source.size).toBeLessThanOrEqual(CAP);
      // With nothing in flight only time can free a permit, so the source must name the wait.
      expect(requests.inFlight > 0 || requests.waitForPermit()).toBe(true);
      const ending = ENDINGS[Math.floor(draw() * ENDINGS.length)];
      if (ending) requests.end(Math.floor(draw() * requests.inFlight), ending);
    }
  },
);

test.each(SOURCES)('a source that only sees answers grants its full cap in the end: %s', (_, open) => {
  const requests = new Requests(open());
  for (let step = 0; step < 2000; step++) {
    requests.time += 20;
    requests.fill();
    requests.end(0, ANSWERED);
  }
  requests.fill();
  expect([requests.inFlight, requests.source.size]).toEqual([CAP, CAP]);
});

test.each(SOURCES)('an ending that says nothing about load does not change the permits: %s', (_, open) => {
  const requests = new Requests(open());
  for (let step = 0; step < 2000; step++) {
    requests.time += 20;
    requests.fill();
    requests.end(0, ANSWERED);
  }
  for (let step = 0; step < 200; step++) {
    requests.fill();
    requests.end(0, OTHER);
  }
  expect(requests.source.permits(requests.time)).toBe(CAP);
});
