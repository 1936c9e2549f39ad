import type { Server } from 'node:http';
import { isIP } from 'node:net';
import { DataDesignerError, systemCode } from '@data-designer/core';
import { reasonOf } from './reason-of.ts';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'the system forbids it',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such address',
};

/** Where a server listens; port 0 is any free one. */
export interface ListenAt {
  readonly host: string;
  readonly port: number;
}

/** Lets a server listen, and returns its address; throws `environment/cannot-listen`. */
export async function listen(server: Server, { host, port }: ListenAt): Promise<string> {
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject).listen(port, host, listening.resolve);
  try {
    await listening.promise;
  } catch (thrown) {
    const reason = REASONS[systemCode(thrown)] ?? reasonOf(thrown);
    throw new DataDesignerError('environment/cannot-listen', { address: `${host}:${port}`, reason }, { cause: thrown });
  }
  const bound = server.address();
  const boundPort = typeof bound === 'object' && bound ? bound.port : port;
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${boundPort}`;
}
