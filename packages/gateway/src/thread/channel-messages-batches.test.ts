import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { BatchingPort } from './channel-messages.ts';

interface Message {
  readonly id: number;
  readonly what?: unknown;
  readonly body?: Uint8Array;
}

test('a message that cannot be cloned fails alone, and the others of its batch arrive in order', async () => {
  const { port1, port2 } = new MessageChannel();
  const refused: [unknown, string][] = [];
  const out = new BatchingPort<Message>(
    port1,
    (message) => message,
    (line, reason) => {
      refused.push([line, reason]);
      const { id } = line as Message;
      return id === 1 ? { id, what: 'refused' } : undefined;
    },
  );
  const arrived: unknown[] = [];
  port2.on('message', (messages: readonly unknown[]) => arrived.push(...messages));
  const bad = [
    { id: 1, what: () => 1 },
    { id: 2, what: new Proxy({}, {}) },
  ] as const;
  out.send({ id: 0, body: new Uint8Array([1, 2]) });
  for (const message of bad) out.send(message);
  out.send({ id: 3 });
  await expect.poll(() => arrived).toHaveLength(3);
  expect(arrived).toEqual([{ id: 0, body: new Uint8Array([1, 2]) }, { id: 1, what: 'refused' }, { id: 3 }]);
  expect(refused).toEqual(bad.map((message) => [message, expect.stringContaining('could not be cloned')]));
  port1.close();
  await once(port2, 'close');
});
