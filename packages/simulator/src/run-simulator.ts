import { once } from 'node:events';
import type { Server } from 'node:http';
import { DataDesignerError, systemCode } from '@data-designer/core';
import { Ledger } from './ledger.ts';
import { RequestLog } from './request-log.ts';
import { Gate } from './server/gate.ts';
import { openSimulator } from './server/open-simulator.ts';
import { readSettings, type Settings, USAGE, UsageError } from './settings.ts';

const HOST = '127.0.0.1';

/** Runs the server until it is told to end. */
async function main(args: readonly string[]): Promise<void> {
  const settings = readSettings(args);
  if (settings === undefined) return void process.stdout.write(USAGE);
  const log = settings.logFile === undefined ? undefined : RequestLog.open(settings.logFile);
  const server = openSimulator(settings, { ledger: new Ledger(), gate: new Gate(), log });
  const port = await listen(server, settings.port);
  endWhenTold(settings, async () => {
    server.close();
    server.closeAllConnections();
    await log?.close();
  });
  process.stdout.write(`${JSON.stringify({ port, url: `http://${HOST}:${port}/v1` })}\n`);
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen({ port, host: HOST, backlog: 4_096 });
  try {
    await once(server, 'listening');
  } catch (thrown) {
    const isTaken = systemCode(thrown) === 'EADDRINUSE';
    throw isTaken ? new DataDesignerError('environment/port-in-use', { port }, { cause: thrown }) : thrown;
  }
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}

/** Ends the process on SIGTERM, SIGINT and, if so set, with standard input, so that no run leaves a server behind. */
function endWhenTold({ endsWithStdin }: Settings, close: () => Promise<void>): void {
  let isEnding = false;
  const end = (): void => {
    if (isEnding) return;
    isEnding = true;
    void close().finally(() => process.exit(0));
  };
  process.once('SIGTERM', end).once('SIGINT', end);
  if (endsWithStdin) process.stdin.once('end', end).once('close', end).once('error', end).resume();
}

/** Says in one line on standard error why the server does not run: 2 for a wrong command line, else 1. */
function fail(thrown: unknown): void {
  const isUsage = thrown instanceof UsageError;
  const said = isUsage ? `${thrown.message} See --help.` : DataDesignerError.fromUnknown(thrown).message;
  process.stderr.write(`simulator: ${said}\n`);
  process.exitCode = isUsage ? 2 : 1;
}

main(process.argv.slice(2)).catch(fail);
