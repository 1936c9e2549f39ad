import {
  type CallOutcome,
  DataDesignerError,
  type RowServers,
  type ServerWork,
  type ShownFile,
} from '@data-designer/core';
import type { WorldServer } from '@data-designer/environments';
import { writeToolRequest } from '@data-designer/mcp';

/** Whose server it is, and the files that its folder begins with. */
interface ServerStart {
  readonly row: number;
  readonly resource: string;
  readonly files: Readonly<Record<string, string>>;
}

/** The numbers of servers: each is used once in its thread, so also in its row group. */
let servers = 0;

/** Has the I/O thread start a server for a row. */
export function startServer(gateway: Partial<RowServers>, { row, resource, files }: ServerStart): WorldServer {
  const server = servers++;
  const serve = (work: ServerWork): Promise<unknown> => {
    if (gateway.serve) return gateway.serve(server, row, work);
    return Promise.reject(new DataDesignerError('run/aborted', { reason: 'servers are started in a run only' }));
  };
  const started = serve({ do: 'start', resource, files });
  // The next work tells it.
  started.catch(() => {});
  const after = async <Made>(work: ServerWork): Promise<Made> => {
    await started;
    return (await serve(work)) as Made;
  };
  return {
    call: (name, args, timeoutMs) => {
      return after<CallOutcome>({ do: 'call', body: writeToolRequest({ name, arguments: args }), timeoutMs });
    },
    files: () => after<Readonly<Record<string, ShownFile>>>({ do: 'files' }),
    // The end of the row does it too.
    stop: () => after<void>({ do: 'stop' }).catch(() => {}),
  };
}
