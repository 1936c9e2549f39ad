import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { stringifyJson } from '@data-designer/core';
import type { LiveEvent } from '../../api/live.ts';
import type { ShownDataset } from '../shown-dataset.ts';

/** Two kinds of events, each at most twice a second. */
const TICK_MS = 500;
/** A comment keeps the connection through tunnels. */
const IDLE_MS = 15_000;

/** Sends what changes about a dataset as server-sent events, until the page goes away. */
export async function sendEvents(
  dataset: ShownDataset,
  { response, signal }: { readonly response: ServerResponse; readonly signal: AbortSignal },
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
  let sentAt = performance.now();
  const send = (event: LiveEvent): void => {
    response.write(`data: ${stringifyJson(event)}\n\n`);
    sentAt = performance.now();
  };
  let [figuresBefore, liveBefore] = ['', ''];
  while (!signal.aborted) {
    // A run may be replacing files: the next look finds them.
    const figures = await dataset.monitor.figures().catch(() => undefined);
    if (figures) {
      const { history: _, ...compared } = figures;
      const now = stringifyJson(compared);
      if (now !== figuresBefore) send({ type: 'figures', figures });
      figuresBefore = now;
      await dataset.live.refresh();
      if (dataset.live.version !== liveBefore)
        send({ type: 'answers', live: await dataset.live.state(figures.progress) });
      liveBefore = dataset.live.version;
    }
    if (performance.now() - sentAt > IDLE_MS) {
      response.write(': idle\n\n');
      sentAt = performance.now();
    }
    // A page that reads slowly gets the latest state when it is ready.
    if (response.writableNeedDrain)
      await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    await setTimeout(TICK_MS, undefined, { signal }).catch(() => {});
  }
}
