import { expect, test } from 'vitest';
import { type Call, type CallOutcome, DataDesignerError } from '@data-designer/core';
import { Admission, type Permit } from '../admission/admission.ts';
import { fixedLimit } from '../admission/permit-source.ts';
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
