import type { LiveEvents, LiveTopic } from '../../api/live.ts';

/** What a page learns from the event stream. */
export interface EventListener<Topic extends LiveTopic> {
  readonly onEvent: (event: LiveEvents[Topic]) => void;
  /** Whether the stream is open; the browser tries again by itself. */
  readonly onConnection?: (isOpen: boolean) => void;
}

type Passed<Topic extends LiveTopic> = { readonly event: LiveEvents[Topic] } | { readonly isOpen: boolean };

/**
 * Receives the event stream at an address until the returned function is called. A browser allows six connections to a
 * server, over all tabs: one tab holds the stream under a lock and passes each event to the other tabs.
 */
export function watchEvents<Topic extends LiveTopic>(address: string, listener: EventListener<Topic>): () => void {
  const stop = new AbortController();
  const channel = new BroadcastChannel(`data-designer ${address}`);
  const take = (passed: Passed<Topic>): void => {
    if ('event' in passed) listener.onEvent(passed.event);
    else listener.onConnection?.(passed.isOpen);
  };
  const share = (passed: Passed<Topic>): void => {
    if (stop.signal.aborted) return;
    take(passed);
    channel.postMessage(passed);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Passed<Topic>>) => take(data));
  const hold = (): Promise<void> => holdStream(address, share, stop.signal);
  // Where the page has no locks, such as on plain HTTP from another machine, each tab holds its own stream.
  if (navigator.locks === undefined) void hold();
  else navigator.locks.request(channel.name, { signal: stop.signal }, hold).catch(() => undefined);
  return () => {
    stop.abort();
    channel.close();
  };
}

/** The time from a refused stream to the next try. */
const AGAIN_MS = 3000;

/** Resolves when the signal ends the stream. */
function holdStream<Topic extends LiveTopic>(
  address: string,
  share: (passed: Passed<Topic>) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    let stream = new EventSource(address);
    let again: ReturnType<typeof setTimeout> | undefined;
    let wasOpen = false;
    const listen = (): void => {
      stream.addEventListener('open', () => {
        wasOpen = true;
        share({ isOpen: true });
      });
      stream.addEventListener('error', () => {
        if (wasOpen) share({ isOpen: false });
        // A browser tries again by itself, but not after an answer that refuses the stream.
        if (stream.readyState !== EventSource.CLOSED || signal.aborted) return;
        again = setTimeout(() => {
          stream = new EventSource(address);
          listen();
        }, AGAIN_MS);
      });
      stream.addEventListener('message', ({ data }: MessageEvent<string>) => share({ event: JSON.parse(data) }));
    };
    listen();
    signal.addEventListener('abort', () => {
      clearTimeout(again);
      stream.close();
      resolve();
    });
  });
}
