import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { SSEClientTransport, SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { mostBytesOf } from './bounded-body.ts';
import { HttpRefusal, readRefusal } from './http-refusal.ts';
import type { InFlight } from './in-flight.ts';
import type { Link, LinkListener } from './link.ts';
import { headersOf, type RemoteToolProvider, type StdioToolProvider, type ToolProvider } from './provider.ts';
import { StdioProcess } from './stdio-process.ts';
import { type JsonObject, type LinkOptions, SessionFault } from './tool-session.ts';
import { watchedFetch } from './watched-fetch.ts';

const GRACE_MS = 2_000;
/** Time for telling a remote server that its session is over. */
const LEAVE_MS = 1_000;

/** Time for the first event of an open stream, which tells where to send messages. */
const FIRST_EVENT_MS = 5_000;

/**
 * A link to a tool server through the transports of the official SDK. Requests are the session's own, because the SDK's
 * requests cost several times as much.
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
    listener,
  });
  return {
    connect: () => process.start(),
    useVersion: () => undefined,
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
  const { redact, startBy } = options;
  const watched = watchedFetch(options.fetch ?? fetch, {
    calls,
    redact,
    startBy,
    isSession: true,
    mostBytes: mostBytesOf(provider),
    onMessage: listener.onMessage,
    onStray: listener.onStray,
    onOversized: ({ message }) => listener.onBreak(message),
  });
  // The SDK gives the reason for a missing stream only as text.
  let fault: Error | undefined;
  let opened: (() => void) | undefined;
  const noted: typeof fetch = async (...request) => {
    try {
      const response = await watched(...request);
      if (request[1]?.method === 'POST') return response;
      if (response.ok) opened?.();
      else fault = await readRefusal(response.clone(), { redact, hasSession: false });
      return response;
    } catch (thrown) {
      if (thrown instanceof SessionFault) fault = thrown;
      throw thrown;
    }
  };
  const settings = { fetch: noted, requestInit: { headers: headersOf(provider) } };
  const transport = new SSEClientTransport(new URL(provider.endpoint), settings);
  const link = remoteLink(transport, calls, listener);
  const connect = (): Promise<void> => {
    const mute = new Promise<never>((_, reject) => {
      opened = () => setTimeout(() => reject(noEvent()), FIRST_EVENT_MS).unref();
    });
    return Promise.race([link.connect(), mute]);
  };
  return { ...link, connect, leave: () => Promise.resolve(), fault: () => fault };
}

/** A server of another transport may open a stream too, on which nothing tells where messages go. */
function noEvent(): HttpRefusal {
  return new HttpRefusal(404, 'its event stream does not tell where to send messages');
}

function streamableLink(provider: RemoteToolProvider, options: LinkOptions, listener: LinkListener): Link {
  const calls = new AsyncLocalStorage<InFlight>();
  const { redact, startBy } = options;
  const watched = watchedFetch(options.fetch ?? fetch, {
    calls,
    redact,
    startBy,
    isSession: false,
    mostBytes: mostBytesOf(provider),
    onMessage: listener.onMessage,
    onStray: listener.onStray,
  });
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
  { onClose, onBreak }: LinkListener,
): Omit<Link, 'leave'> {
  let isOpen = false;
  const handlers: Pick<Transport, 'onclose' | 'onerror'> = {
    onclose: onClose,
    // The event stream of an SSE server carries every answer, and a new one belongs to a new session.
    onerror: (error) => {
      if (isOpen && error instanceof SseError) onBreak('its event stream broke off');
    },
  };
  Object.assign(transport, handlers);
  const send = (message: JsonObject, call?: InFlight): Promise<void> => {
    const sent = message as unknown as JSONRPCMessage;
    // Else the request would belong to the call whose answer led to it.
    if (call === undefined) return calls.exit(() => transport.send(sent));
    const onresumptiontoken = (): void => {
      call.resumable = true;
    };
    const way: Transport = transport;
    return calls.run(call, () => way.send(sent, { onresumptiontoken }));
  };
  return {
    connect: async () => {
      await transport.start();
      isOpen = true;
    },
    useVersion: (version) => transport.setProtocolVersion(version),
    send,
    close: () => transport.close(),
    lastWords: () => undefined,
    stderr: () => '',
    fault: () => undefined,
  };
}
