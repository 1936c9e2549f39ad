import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Connections } from './model-endpoint.ts';

let server: Server;
let opened: number;
let connections: Connections;

beforeEach(async () => {
  opened = 0;
  server = createServer((request, response) => {
    request.resume();
    if (request.url === '/broken') request.socket.destroy();
    else setTimeout(() => response.end('{}'), 20);
  });
  server.on('connection', () => opened++);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  connections = new Connections(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

afterEach(async () => {
  await connections[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

const ask = (path: string) =>
  connections.use(async (connection: Dispatcher) => {
    const { statusCode, body } = await connection.request({ path, method: 'POST' });
    await body.dump();
    return statusCode;
  });

test('the endpoint opens one connection per request in flight, and reuses it', async () => {
  for (let turn = 0; turn < 3; turn++) {
    expect(await Promise.all(Array.from({ length: 5 }, () => ask('/')))).toEqual([200, 200, 200, 200, 200]);
  }
  expect(opened).toBe(5);
});

test('a broken connection is replaced', async () => {
  await expect(ask('/broken')).rejects.toBeInstanceOf(Error);
  expect(await ask('/')).toBe(200);
  expect(opened).toBe(2);
});
