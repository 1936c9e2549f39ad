import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport, SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { InFlight } from './in-flight.ts';
import type { Link, LinkListener } from './link.ts';
import { headersOf, type RemoteToolProvider, type StdioToolProvider, type ToolProvider } from './provider.ts';
import { StdioProcess } from './stdio-process.ts';
import { type JsonObject, type LinkOptions, LONGEST_TIMER_MS, SessionFault } from './tool-session.ts';
import { watchedFetch } from './watched-fetch.ts';

const GRACE_MS = 2_000;
/** Time for telling a remote server that its session is over. */
const LEAVE_MS = 1_000;

/**
 * A link to a tool server through the official SDK: its transports, and its client for the handshake. Requests after
 * that are the session's own, because the SDK's requests cost several times as much.
 */
export function sdkLink(provider: ToolProvider, options: LinkOptions, listener: LinkListener): Link {
  if (provider.providerType === 'stdio') return stdioLink(provider, options, listener);
  return provider.providerType === 'sse'
    ? sseLink(provider, options, listener)
    : streamableLink(provider, options, listener);
}

function stdioLink(provider: StdioToolProvider, options: LinkOptions, listener: LinkListener): Link {
  const environment = { ...getDefaultEnvironment(), ...provider.env };
  const process = new StdioProcess(provider, environment, {
    graceMs: options.graceMs ?? GRACE_MS,
    redact: options.redact,
  });
  return {
    connect: () => shakeHands(process, listener),
    send: (message) => process.send(message),
    close: () => process.close(),
    leave: () => Promise.resolve(),
    lastWords: () => process.lastWords,
    stderr: () => process.stderr,
    fault: () => undefined,
  };
}

function sseLink(provider: RemoteToolProvider, options: LinkOptions, listener: LinkListener): Link {
  const calls = new AsyncLocalStorage<InFlight>();
  const watched = watchedFetch(options.fetch ?? fetch, calls, options.redact);
  // The SDK gives the reason for a missing stream only as text.
  let fault: SessionFault | undefined;
  const noted: typeof fetch = (...request) =>
    watched(...request).catch((thrown: unknown) => {
      if (thrown instanceof SessionFault) fault = thrown;
      throw thrown;
    });
  const settings = { fetch: noted, requestInit: { headers: headersOf(provider) } };
  const transport = new SSEClientTransport(new URL(provider.endpoint), settings);
  return { ...remoteLink(transport, calls, listener), leave: () => Promise.resolve(), fault: () => fault };
}

function streamableLink(provider: RemoteToolProvider, options: LinkOptions, listener: LinkListener): Link {
  const calls = new AsyncLocalStorage<InFlight>();
  const watched = watchedFetch(options.fetch ?? fetch, calls, options.redact);
  const settings = { fetch: watched, requestInit: { headers: headersOf(provider) } };
  const transport = new StreamableHTTPClientTransport(new URL(provider.endpoint), settings);
  const leave = async (): Promise<void> => {
    const told = transport.terminateSession().catch(() => undefined);
    await Promise.race([told, sleep(LEAVE_MS, undefined, { ref: false })]);
  };
  return { ...remoteLink(transport, calls, listener), leave };
}

function remoteLink(
  transport: SSEClientTransport | StreamableHTTPClientTransport,
  calls: AsyncLocalStorage<InFlight>,
  listener: LinkListener,
): Omit<Link, 'leave'> {
  const send = (message: JsonObject, call?: InFlight): Promise<void> => {
    const sent = message as unknown as JSONRPCMessage;
    if (call === undefined) return transport.send(sent);
    const onresumptiontoken = (): void => {
      call.resumable = true;
    };
    const way: Transport = transport;
    return calls.run(call, () => way.send(sent, { onresumptiontoken }));
  };
  return {
    connect: () => shakeHands(transport, listener),
    send,
    close: () => transport.close(),
    lastWords: () => undefined,
    stderr: () => '',
    fault: () => undefined,
  };
}

/** Connects, and from then on gives every message to the session before the SDK. */
async function shakeHands(transport: Transport, { onMessage, onClose, onBreak }: LinkListener): Promise<void> {
  const client = new Client({ name: 'data-designer', version: '0.1.0' }, { capabilities: {} });
  Object.assign(client, {
    onclose: onClose,
    // The event stream of an SSE server carries every answer, and a new one belongs to a new session.
    onerror: (error: Error) => error instanceof SseError && onBreak('its event stream broke off'),
  });
  // The session limits the time.
  await client.connect(transport, { timeout: LONGEST_TIMER_MS });
  const forSdk = transport.onmessage?.bind(transport);
  const onmessage: Transport['onmessage'] = (message, extra) => {
    if (!onMessage(message)) forSdk?.(message, extra);
  };
  Object.assign(transport, { onmessage });
}
