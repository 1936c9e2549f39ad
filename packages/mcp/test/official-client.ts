import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

/** What a tool gave, as the official client has read and checked it. */
export interface OfficialResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

/** The official MCP client, connected, with the notes that servers sent it. */
export interface OfficialClient extends AsyncDisposable {
  readonly client: Client;
  readonly notes: string[];
  /** Ends the session at the server too, where its transport can. */
  readonly leave: () => Promise<void>;
  readonly call: (
    name: string,
    args?: Record<string, unknown>,
    options?: Parameters<Client['callTool']>[2],
  ) => Promise<OfficialResult>;
  /** The process of a stdio server. */
  readonly pid: number | null;
  /** What a stdio server wrote to stderr. */
  readonly stderr: () => string;
}

/** How to reach a server: a program, or an address with its headers. */
export type Reach =
  | { readonly command: string; readonly args: readonly string[]; readonly env?: Record<string, string> }
  | {
      readonly address: string;
      readonly transport: 'sse' | 'streamable_http';
      readonly headers?: Record<string, string>;
    };

/** Connects the official client to a server. */
export async function connectOfficial(reach: Reach): Promise<OfficialClient> {
  const client = new Client({ name: 'official', version: '1.0.0' });
  const notes: string[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    notes.push(`${params.logger}: ${String(params.data)}`);
  });
  let errors = '';
  const transport = transportOf(reach);
  const isStdio = transport instanceof StdioClientTransport;
  if (isStdio) transport.stderr?.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  await client.connect(transport);
  return {
    client,
    notes,
    leave: async () => {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
    },
    call: (name, args = {}, options) =>
      client.callTool({ name, arguments: args }, undefined, options) as Promise<OfficialResult>,
    pid: isStdio ? transport.pid : null,
    stderr: () => errors,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function transportOf(reach: Reach): StdioClientTransport | SSEClientTransport | StreamableHTTPClientTransport {
  if ('command' in reach) {
    const { command, args, env = {} } = reach;
    const environment = { ...(process.env as Record<string, string>), ...env };
    return new StdioClientTransport({ command, args: [...args], env: environment, stderr: 'pipe' });
  }
  const address = new URL(reach.address);
  const settings = { requestInit: { headers: reach.headers ?? {} } };
  return reach.transport === 'sse'
    ? new SSEClientTransport(address, settings)
    : new StreamableHTTPClientTransport(address, settings);
}
