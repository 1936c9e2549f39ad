import { type MessagePort, parentPort } from 'node:worker_threads';
import { PortGateway } from '@data-designer/gateway/worker';

// A worker thread that calls a trivial tool through the gateway, as row groups do, so many at once.

/** What the thread is told to do. */
export interface LanesTask {
  readonly port: MessagePort;
  readonly resource: string;
  readonly inFlight: number;
}

/** So many calls a row makes before it is over. */
const CALLS_OF_A_ROW = 10;

const host = parentPort as MessagePort;

host.once('message', ({ port, resource, inFlight }: LanesTask) => {
  const gateway = new PortGateway(port);
  let row = 0;
  host.on('message', (calls: number) => {
    let left = calls;
    const lane = async (): Promise<void> => {
      while (left > 0) {
        const at = { row: row++, column: 'bench' };
        for (let call = 0; call < CALLS_OF_A_ROW && left-- > 0; call++) {
          const body = `{"name":"echo","arguments":{"text":"row ${at.row}"}}`;
          const { status } = await gateway.call({ ...at, call, resource, path: 'tools/call', body, timeoutMs: 60_000 });
          if (status !== 200) throw new Error(`a call was answered ${status}`);
        }
        gateway.cancel(at.row);
      }
    };
    void Promise.all(Array.from({ length: inFlight }, lane)).then(() => host.postMessage('done'));
  });
});
