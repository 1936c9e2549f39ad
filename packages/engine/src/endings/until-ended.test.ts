import { expect, test } from 'vitest';
import { DataDesignerError, NEVER } from '@data-designer/core';
import type { RunGateway } from '@data-designer/gateway';
import type { RunEvent } from '../run-event.ts';
import type { RunEnding } from './run-ending.ts';
import { untilEnded } from './until-ended.ts';

const REASON = new DataDesignerError('run/aborted', { reason: 'Ctrl-C' });

/** The events of a run that ends while its gateway drains. */
async function eventsOf(drained: Promise<void>): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  const told = Promise.withResolvers<void>();
  const gateway = { lost: new Promise(() => {}), spent: new Promise(() => {}), drain: () => drained };
  const ending = { watch: ({ onEnd }: Parameters<RunEnding['watch']>[0]) => onEnd(REASON, 30_000) };
  const onEvent = (event: RunEvent): void => {
    events.push(event);
    told.resolve();
  };
  const work = Promise.race([drained, told.promise]);
  await untilEnded(work, ending as RunEnding, {
    gateway: gateway as unknown as RunGateway,
    signal: NEVER,
    drain: NEVER,
    onEvent,
  });
  return events;
}

test('a run that ends says that it waits for requests in flight', async () => {
  expect(await eventsOf(new Promise(() => {}))).toMatchObject([{ type: 'drain-start', graceMs: 30_000 }]);
});

test('a run that ends with no request in flight waits for nothing, and does not say so', async () => {
  expect(await eventsOf(Promise.resolve())).toEqual([]);
});
