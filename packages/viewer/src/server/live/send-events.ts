import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { stringifyJson } from '@data-designer/core';
import type { LiveEvents, LiveTopic } from '../../api/live.ts';
import type { ShownDataset } from '../shown-dataset.ts';

/** The time between two looks at the files. */
const TICK_MS = 500;
/** A comment keeps the connection through tunnels. */
const IDLE_MS = 15_000;

interface EventStream {
  readonly topic: LiveTopic;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

/** Sends what changes about a dataset as server-sent events, until the page goes away. */
export async function sendEvents(dataset: ShownDataset, { topic, response, signal }: EventStream): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
  const nextEvent = NEXT_EVENT[topic](dataset);
  let sentAt = performance.now();
  while (!signal.aborted) {
    // A run may be replacing files: the next look finds them.
    const event = await nextEvent().catch(() => undefined);
    const isIdle = performance.now() - sentAt > IDLE_MS;
    if (event || isIdle) {
      response.write(event ? `data: ${stringifyJson(event)}\n\n` : ': idle\n\n');
      sentAt = performance.now();
    }
    // A page that reads slowly gets the latest state when it is ready.
    if (response.writableNeedDrain)
      await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    await setTimeout(TICK_MS, undefined, { signal }).catch(() => {});
  }
}

/** The next event of each kind; undefined while nothing has changed. */
const NEXT_EVENT: {
  readonly [Topic in LiveTopic]: (dataset: ShownDataset) => () => Promise<LiveEvents[Topic] | undefined>;
} = {
  figures: ({ monitor }) => {
    let before = '';
    return async () => {
      const figures = await monitor.figures();
      // The history changes with the progress.
      const { history: _, ...compared } = figures;
      const now = stringifyJson(compared);
      if (now === before) return undefined;
      before = now;
      return figures;
    };
  },
  answers: ({ live, monitor }) => {
    let before = '';
    return async () => {
      await live.refresh();
      if (live.version === before) return undefined;
      const { progress } = await monitor.figures();
      before = live.version;
      return live.state(progress);
    };
  },
};
