import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model that serves so many requests at a time and refuses the others; counts who sent what. */
export interface CountingServer extends AsyncDisposable {
  readonly endpoint: string;
  capacity: number;
  latencyMs: number;
  /** Sent with refusals, in seconds. */
  retryAfter: number | undefined;
  inFlight: number;
  /** The most requests in flight since it was last set to 0. */
  most: number;
  answered: number;
  refused: number;
  /** When requests arrived. */
  readonly arrivals: number[];
}

const ANSWER = JSON.stringify({
  choices: [{ message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 60, completion_tokens: 40 },
});

/** Starts the server on a free port of this machine. */
export async function startCountingServer(capacity = Infinity, latencyMs = 20): Promise<CountingServer> {
  const server = createServer((request, response) => {
    request.resume();
    counts.arrivals.push(performance.now());
    if (counts.inFlight >= counts.capacity) {
      counts.refused++;
      const { retryAfter } = counts;
      const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
      response.writeHead(429, { 'content-type': 'application/json', ...headers }).end('{}');
      return;
    }
    counts.most = Math.max(counts.most, ++counts.inFlight);
    let isOpen = true;
    response.on('close', () => {
      if (isOpen) counts.inFlight--;
      isOpen = false;
    });
    setTimeout(() => {
      counts.answered++;
      response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER);
    }, counts.latencyMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const counts: CountingServer = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    capacity,
    latencyMs,
    retryAfter: undefined,
    inFlight: 0,
    most: 0,
    answered: 0,
    refused: 0,
    arrivals: [],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return counts;
}
