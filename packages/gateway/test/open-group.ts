import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import type { Plan, UserFunction } from '@data-designer/core';
import type { MCPProvider, ModelProvider } from '@data-designer/config';
import { FunctionCalls } from '../../engine/src/functions/function-calls.ts';
import { FunctionHost } from '../../engine/src/functions/function-host.ts';
import { GroupChannel } from '../src/group-channel.ts';
import { guardedWeb } from '../src/downloads/web-reader.ts';
import { Journal } from '../src/journal/journal.ts';
import { JournalReader, type JournalRecord } from '../../dataset/src/journal/journal-file.ts';
import { ProviderRouter, type ProviderRouterOptions } from '../src/provider-router.ts';
import { PortGateway } from '../src/port-gateway.ts';
import { serveDryReplay } from '../src/thread/dry-replay.ts';
import { folderJournal } from '../../dataset/src/journal/folder-journal.ts';

/** How a row group reaches the router. */
export interface GroupOptions {
  /** Where all models of the plan are served. */
  readonly endpoint: string;
  readonly tools?: readonly MCPProvider[];
  /** Tools as models were told of them before; where they are absent, as they are listed now. */
  readonly frozen?: ProviderRouterOptions['frozen'];
  /** Nothing is kept where it is absent. */
  readonly journal?: string;
  readonly budget?: ProviderRouterOptions['budget'];
}

/** The real gateway of one row group, in this thread: its two sides, and what stands behind them. */
export interface OpenGroup extends AsyncDisposable {
  readonly router: ProviderRouter;
  readonly channel: GroupChannel;
  /** A worker's way to the gateway; the first one's is there already. */
  readonly gateway: PortGateway;
  /** What a worker that comes after a lost one is given. */
  readonly succeed: () => PortGateway;
}

/** Opens what the I/O thread has for one row group; what it sends leaves at the end of a turn, as there. */
export function openGroup(
  { resources }: Pick<Plan, 'resources'>,
  { endpoint, tools = [], frozen = {}, journal, budget }: GroupOptions,
): OpenGroup {
  const names = new Set(resources.flatMap(({ kind, provider }) => (kind === 'model' ? provider : [])));
  const providers = { models: [...names].map((name) => modelServer(name, endpoint)), tools };
  const options = { resources, providers, frozen, environment: {}, allowPrivate: true, budget };
  const router = new ProviderRouter(options, { web: guardedWeb });
  const channel = new GroupChannel({
    router,
    journal: journal === undefined ? undefined : Journal.open(folderJournal(journal)),
    wake: (woken, when) => (when === 'now' ? woken.flush() : void setImmediate(() => woken.flush())),
  });
  const attach = (): PortGateway => {
    const { port1, port2 } = new MessageChannel();
    channel.attach(port1);
    return new PortGateway(port2);
  };
  const gateway = attach();
  const succeed = (): PortGateway => {
    channel.reload();
    return attach();
  };
  const end = async (): Promise<void> => {
    gateway[Symbol.dispose]();
    await channel.close({ keepJournal: true });
    await router[Symbol.asyncDispose]();
  };
  return { router, channel, gateway, succeed, [Symbol.asyncDispose]: end };
}

/** A provider of models without a key. */
export function modelServer(name: string, endpoint: string): ModelProvider {
  return { name, endpoint, providerType: 'openai', apiKey: null, extraBody: null, extraHeaders: null };
}

/** The entries of a journal as they are on disk now. */
export function entriesOf(journal: string): readonly JournalRecord[] {
  const names = existsSync(journal) ? readdirSync(journal).toSorted() : [];
  return names.flatMap((name) => entriesIn(name, readFileSync(join(journal, name))));
}

/** The entries of one journal file. */
export function entriesIn(path: string, bytes: Buffer): readonly JournalRecord[] {
  const reader = new JournalReader(path);
  reader.take(bytes);
  return reader.entries;
}

/** The real gateway of a dry replay: what the entries answer, and nothing else. */
export function openReplay(entries: readonly JournalRecord[]): Disposable & {
  readonly voided: readonly JournalRecord[];
  readonly gateway: PortGateway;
} {
  const { port1, port2 } = new MessageChannel();
  const voided = serveDryReplay(port1, { entries, tools: {} });
  const gateway = new PortGateway(port2);
  return { voided, gateway, [Symbol.dispose]: () => gateway[Symbol.dispose]() };
}

/** Functions of the calling program, by their handles, as a row group calls them. */
export function openFunctions(functions: Readonly<Record<string, UserFunction>>): FunctionCalls {
  const port = new FunctionHost(new Map(Object.entries(functions))).open();
  return new FunctionCalls(port, new AbortController().signal);
}
