import { expect, test } from 'vitest';
import { stoppable } from './stop-signals.ts';

const signals = () => ({ abort: new AbortController(), drain: new AbortController() });
const given = ({ abort, drain }: ReturnType<typeof signals>) => ({ signal: abort.signal, drain: drain.signal });

test('results and errors of the work pass through', async () => {
  expect(await stoppable(() => Promise.resolve(7), given(signals()))).toBe(7);
  await expect(stoppable(() => Promise.reject(new Error('no')), given(signals()))).rejects.toThrow('no');
});

test.each(['abort', 'drain'] as const)('stoppable rejects on %s only after the work has ended', async (kind) => {
  const both = signals();
  let ended = false;
  const work = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () =>
        setImmediate(() => {
          ended = true;
          reject(new Error('given up'));
        }),
      );
      setImmediate(() => both[kind].abort());
    });
  await expect(stoppable(work, given(both))).rejects.toMatchObject({ code: 'run/aborted' });
  expect(ended).toBe(true);
});
