import { expect, test } from 'vitest';
import { redactor } from '@data-designer/core/redact';
import type { GatewayEvent } from '../gateway-event.ts';
import { watchPauses } from './pause-watch.ts';

const ID = 'model/here/small';

function open() {
  const told: GatewayEvent[] = [];
  return { told, watch: watchPauses((event) => told.push(event), redactor([])) };
}

const refusal = (body: unknown, status = 429) => ({ status, headers: {}, body: JSON.stringify(body) });

test('a long pause is reported with the model and the message of its endpoint, a short one is not', () => {
  const { told, watch } = open();
  watch.note(ID, refusal({ error: { message: 'Daily limit reached.\nCome back.', type: 'limit' } }));
  watch.note(ID, refusal({ error: { message: 'down' } }, 503));
  watch.look(ID, 9000);
  watch.look(ID, 60_000);
  expect(told).toEqual([{ type: 'model-pause', model: 'here/small', waitMs: 60_000, reason: 'Daily limit reached' }]);
});

test('a pause is reported once, and again when it becomes longer', () => {
  const { told, watch } = open();
  for (const ms of [60_000, 59_000, 60_500, 300_000]) watch.look(ID, ms);
  watch.look('model/other', 20_000);
  expect(told).toMatchObject([{ waitMs: 60_000, reason: 'no reason given' }, { waitMs: 300_000 }, { waitMs: 20_000 }]);
});

test('a pause lasts for as long as the endpoint asks, also where the limit pauses for less', () => {
  const { told, watch } = open();
  watch.note(ID, refusal({}), 86_400_000);
  watch.look(ID, 900_000);
  expect(told).toMatchObject([{ waitMs: expect.closeTo(86_400_000, -5) as number }]);
});
