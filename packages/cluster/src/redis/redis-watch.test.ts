import { expect, test } from 'vitest';
import type { RedisEvent } from '@data-designer/engine/parts';
import { until } from '@data-designer/testing/until';
import { RedisWatch } from './redis-watch.ts';

const POLL_MS = 2;

/** A connection whose answers come when the test says so. */
function connection() {
  let asked = Promise.withResolvers<unknown>();
  let pings = 0;
  const ping = (): Promise<unknown> => {
    pings++;
    asked = Promise.withResolvers();
    return asked.promise;
  };
  return {
    ping,
    pings: () => pings,
    answer: () => asked.resolve('PONG'),
    refuse: (thrown: unknown) => asked.reject(thrown),
  };
}

function watching() {
  const events: RedisEvent[] = [];
  const watch = new RedisWatch((event) => events.push(event), { pollMs: POLL_MS });
  const typesOf = () => events.map(({ type }) => type);
  return { events, watch, typesOf };
}

test('Redis counts as away after five polls without an answer, and is asked once meanwhile', async () => {
  const { events, watch, typesOf } = watching();
  const client = connection();
  using _ = watch.add(client, 'here');
  expect(watch.away).toBeUndefined();
  await until(() => events.length > 0);
  const reason = 'the connection is open, but it does not answer';
  expect(events).toEqual([{ type: 'redis-lost', address: 'here', seconds: (5 * POLL_MS) / 1000, reason }]);
  expect([watch.away?.address, client.pings()]).toEqual(['here', 1]);
  client.answer();
  await until(() => events.length > 1);
  expect(typesOf()).toEqual(['redis-lost', 'redis-return']);
  expect(events.at(-1)).toMatchObject({ address: 'here' });
  expect(watch.away).toBeUndefined();
});

test('a trouble that lasts is reported again after 60 polls', async () => {
  const { events, watch } = watching();
  using _ = watch.add(connection(), 'here');
  await until(() => events.length > 1);
  expect(events.map((event) => 'seconds' in event && Math.round((event.seconds * 1000) / POLL_MS))).toEqual([5, 65]);
});

test('the connection that is silent longest is named, with its last error', async () => {
  const { events, watch } = watching();
  const silent = connection();
  using _ = watch.add(silent, 'silent');
  await until(() => silent.pings() > 0);
  const other = watch.add(connection(), 'other');
  watch.disconnected('silent', new Error('refused'));
  watch.disconnected('other', new Error('closed'));
  await until(() => events.length > 0);
  expect(events[0]).toMatchObject({ address: 'silent', reason: 'refused' });
  other[Symbol.dispose]();
});

test('a connection that answers, also with an error, is asked again, and no more once it is disposed of', async () => {
  const { events, watch } = watching();
  const client = connection();
  {
    using _ = watch.add(client, 'here');
    await until(() => client.pings() === 1);
    client.answer();
    await until(() => client.pings() === 2);
    client.refuse(new Error('NOAUTH'));
    await until(() => client.pings() === 3);
  }
  expect(events).toEqual([{ type: 'redis-fail', address: 'here', reason: 'NOAUTH' }]);
  expect(watch.away).toBeUndefined();
  // A timer that goes on would ask it again by now.
  client.answer();
  const other = watching();
  const asked = connection();
  using _ = other.watch.add(asked, 'there');
  await until(() => other.events.length > 0);
  expect(client.pings()).toBe(3);
});

test('a failure is reported once, but not that of a closed connection or of a job of another machine', () => {
  const { events, watch } = watching();
  watch.failed('here', new Error('OOM'));
  watch.failed('here', new Error('OOM'));
  watch.failed('there', new Error('OOM'));
  watch.failed('here', new Error('Connection is closed.'));
  watch.failed('here', Object.assign(new Error('lock mismatch'), { code: -6 }));
  watch.failed('here', Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
  expect(events.map((event) => [event.type, event.address, 'reason' in event && event.reason])).toEqual([
    ['redis-fail', 'here', 'OOM'],
    ['redis-fail', 'there', 'OOM'],
    ['redis-fail', 'here', 'reset'],
  ]);
});
