import { expect, test } from 'vitest';
import type { Call } from '@data-designer/core';
import { ControlRequest } from './control-request.ts';

const call = (body: string, row = 0): Call => ({
  resource: 'model/here/small',
  path: 'chat/completions',
  body,
  row,
  column: 'a',
  call: 0,
  timeoutMs: 1000,
});

test('the smallest answered request of a row is sent again, one at a time and seldom', () => {
  const clock = { ms: 0, now: () => clock.ms };
  const control = new ControlRequest(clock);
  expect(control.take()).toBeUndefined();
  control.remember(call('', -1), '');
  expect(control.take()).toBeUndefined();
  control.remember(call('long'), 'answer');
  control.remember(call('short'), 'ok');
  control.remember(call('last'), 'an answer');
  expect(control.take()?.body).toBe('short');
  clock.ms = 60_000;
  expect(control.take()).toBeUndefined();
  control.ended(true);
  clock.ms = 67_999;
  expect(control.take()).toBeUndefined();
  clock.ms = 68_000;
  expect(control.take()?.body).toBe('short');
});

test('a control request that fails says so until anything is answered', () => {
  const control = new ControlRequest({ now: () => 0 });
  const states = [true, false, true].map((isAnswered) => {
    control.ended(isAnswered);
    return [control.isFailing, control.passes];
  });
  control.ended(false);
  control.answered();
  expect([...states, [control.isFailing, control.passes]]).toEqual([
    [false, 1],
    [true, 1],
    [false, 2],
    [false, 2],
  ]);
});
