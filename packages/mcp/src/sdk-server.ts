import { Writable } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CallToolRequest,
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  type ListToolsResult,
  McpError,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { ToolContext } from './define-tool.ts';
import type { ServeOptions, ToolServer } from './serve-options.ts';
import type { Toolset } from './serve-toolset.ts';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** The levels at which a client gets no messages of tools, which have the level `info`. */
const QUIETER_THAN_INFO = ['notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** A low-level server of the SDK, which accepts plain JSON Schemas; each session has its own. */
export function sdkServer(toolset: Toolset, { name, version, instructions, readResource }: ServeOptions): Server {
  const given = instructions === undefined ? {} : { instructions };
  const server = new Server({ name, version }, { capabilities: { tools: {}, logging: {} }, ...given });
  let isQuiet = false;
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    isQuiet = QUIETER_THAN_INFO.includes(params.level);
    return {};
  });
  const tools: ListToolsResult['tools'] = [...toolset.listings];
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    const context = contextOf(params, extra, { isQuiet: () => isQuiet, readResource });
    const result = toolset.call(params.name, params.arguments ?? {}, context);
    if (!result) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    return result;
  });
  return server;
}

/** The context of one call: messages and progress go to the client that made it. */
function contextOf(
  { name, _meta }: CallToolRequest['params'],
  { signal, sendNotification }: Extra,
  { isQuiet, readResource }: { readonly isQuiet: () => boolean } & Pick<ServeOptions, 'readResource'>,
): ToolContext {
  const progressToken = _meta?.progressToken;
  const tell = (notification: ServerNotification): void => {
    // The call continues after its client has gone.
    if (!signal.aborted) sendNotification(notification).catch(() => undefined);
  };
  return {
    signal,
    log: (message) => {
      if (isQuiet()) return;
      tell({ method: 'notifications/message', params: { level: 'info', logger: name, data: message } });
    },
    progress: (done, total = null) => {
      if (progressToken === undefined) return;
      const params = { progressToken, progress: done, ...(total === null ? {} : { total }) };
      tell({ method: 'notifications/progress', params });
    },
    readResource: async (uri) => {
      if (readResource === undefined) throw new Error('this server offers no resources');
      return readResource(uri);
    },
  };
}

/** Serves tools on stdin and stdout; ends with stdin. */
export async function serveOverStdio(toolset: Toolset, options: ServeOptions): Promise<ToolServer> {
  const server = sdkServer(toolset, options);
  const ended = Promise.withResolvers<void>();
  const { stdout, giveBack } = claimStdout();
  const close = (): void => void server.close();
  // The SDK's transport does not detect that its client has gone.
  process.stdin.once('end', close).once('close', close);
  process.stdout.on('error', close);
  Object.assign(server, {
    onclose: () => {
      process.stdin.off('end', close).off('close', close);
      giveBack();
      ended.resolve();
    },
  });
  await server.connect(new StdioServerTransport(process.stdin, stdout));
  return { address: undefined, ended: ended.promise, [Symbol.asyncDispose]: () => server.close() };
}

/** Standard output, claimed by a protocol until `giveBack`. */
interface ClaimedStdout {
  readonly stdout: Writable;
  readonly giveBack: () => void;
}

/** The size of queued messages above which a sender waits. */
const HIGH_WATER_BYTES = 16 * 2 ** 20;

/** Claims standard output for a protocol; other output of the process goes to standard error meanwhile. */
function claimStdout(): ClaimedStdout {
  const { stdout: own, stderr } = process;
  const write = own.write.bind(own);
  const elsewhere: typeof own.write = stderr.write.bind(stderr);
  own.write = elsewhere;
  const stdout = new Writable({
    highWaterMark: HIGH_WATER_BYTES,
    decodeStrings: false,
    write: (text: string, _encoding, done) => void write(text, done),
  });
  // Each message that waits adds a listener.
  stdout.setMaxListeners(0).on('error', () => undefined);
  const giveBack = (): void => {
    if (own.write === elsewhere) own.write = write;
  };
  return { stdout, giveBack };
}
