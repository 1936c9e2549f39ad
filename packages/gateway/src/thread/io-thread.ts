import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { DataDesignerError, type Redact } from '@data-designer/core';
import { LocalCalls } from '@data-designer/mcp';
import { beat, type HeartbeatMemory } from './heartbeat.ts';
import { CallRecorder } from '../call-recorder.ts';
import type { GatewayEvent } from '../gateway-event.ts';
import type { Control, Report } from './control.ts';
import type { IoThreadSettings } from '../gateway-host.ts';
import { GroupChannel, type When } from '../group-channel.ts';
import { guardedWeb } from '../downloads/web-reader.ts';
import { folderJournal } from '@data-designer/dataset/journal';
import { Journal } from '../journal/journal.ts';
import { ProviderRouter } from '../provider-router.ts';
import { tellModelStates } from './model-state.ts';

// The one thread that talks to models and tools: it alone holds keys, connections, sessions and journals.

const host = parentPort as MessagePort;
beat(workerData as HeartbeatMemory);
const channels = new Map<number, GroupChannel>();
const awake = new Set<GroupChannel>();
/** Admits nothing more. */
let stopAdmission = (): void => {};

/** Redacts the secrets of the run; there are none before they are resolved. */
let redact: Redact = (value) => value;

function report(message: Report): void {
  host.postMessage(message);
}

function reportFailure(kind: 'fatal' | number, thrown: unknown): void {
  const failure = redact(DataDesignerError.fromUnknown(thrown).toWire());
  report(kind === 'fatal' ? { kind, failure } : { kind: 'failed', id: kind, failure });
}

function tell(event: GatewayEvent): void {
  report({ kind: 'event', event: redact(event) });
}

/** Records the calls of the run; undefined if nobody listens. */
let recorder: CallRecorder | undefined;

/** Calls to functions of the calling program, on the host's thread. */
const functions = new LocalCalls(report);

/** Waking a worker costs more than a message: under load it is woken at most this often. */
const SEND_EVERY_MS = 1;

let sentAt = 0;
let atEndOfTurn: NodeJS.Immediate | undefined;
let later: NodeJS.Timeout | undefined;

/** Flushes the woken channels together at the end of an event loop turn: each writes its journal, then sends. */
function wake(channel: GroupChannel, when: When): void {
  if (when === 'now') return flushChannel(channel);
  awake.add(channel);
  if (atEndOfTurn) return;
  if (when === 'soon' || performance.now() - sentAt >= SEND_EVERY_MS) atEndOfTurn = setImmediate(flush);
  else later ??= setTimeout(flush, SEND_EVERY_MS);
}

function flush(): void {
  clearTimeout(later);
  atEndOfTurn = later = undefined;
  const channelsToFlush = [...awake];
  awake.clear();
  for (const channel of channelsToFlush) flushChannel(channel);
  sentAt = performance.now();
}

function flushChannel(channel: GroupChannel): void {
  try {
    channel.flush();
  } catch (thrown) {
    // An answer that cannot be journaled must not be used: nothing more is admitted, and the run ends.
    reportFailure('fatal', thrown);
    stopAdmission();
  }
}

function openGroup(router: ProviderRouter, { group, journalPath, port }: Control & { kind: 'open-group' }): void {
  const known = channels.get(group);
  if (known) {
    known.reload();
    known.attach(port);
    return;
  }
  const journal = journalPath === null ? undefined : Journal.open(folderJournal(journalPath));
  const recording = recorder && { recorder, group };
  const channel = new GroupChannel({ router, journal, wake, recording });
  channels.set(group, channel);
  if (isOver) channel.endAsking();
  channel.attach(port);
}

async function closeGroup({ group, keepJournal }: Control & { kind: 'close-group' }): Promise<void> {
  const channel = channels.get(group);
  if (!channel) return;
  if (keepJournal) await channel.settled();
  awake.delete(channel);
  channels.delete(group);
  await channel.close({ keepJournal });
  recorder?.flush();
}

/** Whether the run is ending, so nothing more is sent. */
let isOver = false;

/**
 * Admits nothing more and waits for the calls in flight, so that every paid answer is journaled. Other calls fail with
 * `run/over`; calls that are in flight after `graceMs` are given up.
 */
async function drain(router: ProviderRouter, graceMs: number): Promise<void> {
  isOver = true;
  router.pause();
  for (const channel of channels.values()) channel.endAsking();
  const settled = Promise.all([...channels.values()].map((channel) => channel.settled())).then(() => true);
  const isIn = await Promise.race([settled, sleep(graceMs, false, { ref: false })]);
  if (!isIn) for (const channel of channels.values()) channel.giveUp();
  flush();
  recorder?.flush();
}

/** How often to check whether rows wait for calls that the budget does not allow. */
const LOOK_EVERY_MS = 20;

/**
 * Once the budget is spent, calls in flight are finished and rows that need no model are made. Tells the host when
 * nothing is in flight and rows still wait for models; a run whose rows need none ends by itself.
 */
async function endSpent(router: ProviderRouter, reason: DataDesignerError): Promise<void> {
  for (;;) {
    await Promise.all([...channels.values()].map((channel) => channel.settled()));
    // Gives rows whose last answer has just arrived time to be made.
    await sleep(LOOK_EVERY_MS, undefined, { ref: false });
    if (router.wantsMore && ![...channels.values()].some((channel) => channel.isBusy)) break;
  }
  flush();
  report({ kind: 'spent', reason: reason.toWire() });
}

async function closeAll(router: ProviderRouter): Promise<void> {
  // The permits that a closed channel releases must not admit another request.
  router.pause();
  const closing = [...channels.values()].map((channel) => channel.close({ keepJournal: true }));
  channels.clear();
  await Promise.all(closing);
  await router[Symbol.asyncDispose]();
  recorder?.flush();
}

async function obey(router: ProviderRouter, control: Control): Promise<Report | undefined> {
  switch (control.kind) {
    case 'open-group':
      openGroup(router, control);
      return undefined;
    case 'close-group':
      await closeGroup(control);
      return { kind: 'done', id: control.id };
    case 'drain':
      await drain(router, control.graceMs);
      return { kind: 'done', id: control.id };
    case 'tool-ended':
      functions.take(control);
      return undefined;
    case 'list-tools':
      return { kind: 'tools', id: control.id, schemas: await router.listTools(control.provider) };
    case 'list-models':
      return { kind: 'listed-models', id: control.id, names: await router.listModels(control.provider) };
    case 'redact':
      return { kind: 'redacted', id: control.id, value: redact(control.value) };
    case 'close':
      await closeAll(router);
      return { kind: 'done', id: control.id };
  }
}

function start(settings: IoThreadSettings): void {
  const parts = { web: guardedWeb, onEvent: tell, functions };
  const router = new ProviderRouter({ ...settings, environment: process.env }, parts);
  ({ redact } = router);
  if (settings.recordsCalls) recorder = new CallRecorder((calls) => report({ kind: 'calls', calls: redact(calls) }));
  tellModelStates(
    () => router.modelStates,
    (models) => report({ kind: 'models', models }),
  );
  stopAdmission = () => router.pause();
  const { spent } = router;
  const end = () => void endSpent(router, DataDesignerError.fromUnknown(spent?.reason));
  if (spent?.aborted) end();
  else spent?.addEventListener('abort', end);
  host.on('message', (control: Control) => {
    obey(router, control).then(
      (answer) => {
        if (answer) report(answer);
        if (control.kind === 'close') host.close();
      },
      (thrown: unknown) => {
        reportFailure('id' in control ? control.id : 'fatal', thrown);
      },
    );
  });
}

// An uncaught error would reach the host with its secrets.
process.on('uncaughtException', (thrown) => {
  reportFailure('fatal', new DataDesignerError('run/gateway-lost', { reason: thrown.message }));
  process.exit(1);
});

host.once('message', (settings: IoThreadSettings) => {
  try {
    start(settings);
    report({ kind: 'done', id: 0 });
  } catch (thrown) {
    reportFailure(0, thrown);
    host.close();
  }
});
