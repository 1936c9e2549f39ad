import { expect, test } from 'vitest';
import { withTimeLimit } from './with-time-limit.ts';

const limit = (limitMs: number) => ({ limitMs, timedOut: () => new Error(`more than ${limitMs} ms`) });

function forever(): never {
  for (;;);
}

test('gives the result of the work, and its error', () => {
  const thrown = new TypeError('no');
  expect(withTimeLimit(() => [1], limit(1000))).toEqual([1]);
  const fail = () =>
    withTimeLimit(() => {
      throw thrown;
    }, limit(1000));
  expect(fail).toThrow(thrown);
});

test('ends work that takes longer, within other work that does not', () => {
  expect(() => withTimeLimit(forever, limit(20))).toThrow('more than 20 ms');
  const outer = withTimeLimit(() => {
    expect(() => withTimeLimit(forever, limit(20))).toThrow('more than 20 ms');
    return 'done';
  }, limit(10_000));
  expect(outer).toBe('done');
});
