import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { PortGateway } from './port-gateway.ts';

const AT = { row: 0, column: 'a', call: 0 };
const LOST = { code: 'run/gateway-lost' };

test.each(['the gateway', 'the worker'])(
  'after %s has closed the port, waiting and later calls fail with run/gateway-lost',
  async (who) => {
    const { port1, port2 } = new MessageChannel();
    using gateway = new PortGateway(port2);
    const asked = gateway.admit('model/here/small', AT);
    if (who === 'the gateway') port1.close();
    else gateway[Symbol.dispose]();
    await expect(asked).rejects.toMatchObject(LOST);
    await expect(gateway.admit('model/here/small', AT)).rejects.toMatchObject(LOST);
    await expect(gateway.listTools('files')).rejects.toMatchObject(LOST);
    const call = {
      ...AT,
      resource: 'model/here/small',
      path: 'chat/completions',
      body: '{}',
      timeoutMs: 1000,
    } as const;
    await expect(gateway.call(call)).rejects.toMatchObject(LOST);
  },
);
