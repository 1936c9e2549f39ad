import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { DataDesignerError, isFailure } from '@data-designer/core';
import type { ThreadReport } from './local-module.ts';
import type { LocalAsk } from './local-messages.ts';
import { LocalTools } from './local-tools.ts';
import { reasonOf } from './reason-of.ts';
import { toolsIn } from './tools-in.ts';

// The thread of one module whose exports are tools: if it blocks or dies, no other thread is affected.

const parent = parentPort as MessagePort;
const { name, module } = workerData as { readonly name: string; readonly module: string };

function report(message: ThreadReport): void {
  parent.postMessage(message);
}

async function start(): Promise<void> {
  const exports = (await import(module)) as Readonly<Record<string, unknown>>;
  const tools = toolsIn(exports);
  if (tools.length === 0) {
    throw new DataDesignerError('tool/unavailable', { provider: name, reason: 'its module exports no tools' });
  }
  const { readResource } = exports;
  const own = typeof readResource === 'function' ? { readResource: readResource as (uri: string) => unknown } : {};
  const local = new LocalTools(
    { name, providerType: 'local', tools, ...own },
    { onNote: (note) => report({ kind: 'note', note }) },
  );
  parent.on('message', (ask: LocalAsk) => local.take(ask, report));
  report({ kind: 'ready', schemas: local.schemas });
}

start().catch((thrown: unknown) => {
  report({ kind: 'unusable', reason: whyUnusable(thrown) });
});

function whyUnusable(thrown: unknown): string {
  if (isFailure(thrown, 'tool/unavailable')) return thrown.data.reason;
  if (isFailure(thrown, 'tool/invalid')) return `its tool '${thrown.data.tool}' cannot be used: ${thrown.data.reason}`;
  return `its module cannot be loaded: ${reasonOf(thrown)}`;
}
