import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { DataDesignerError, isFailure, isFields } from '@data-designer/core';
import type { ToolDefinition } from './define-tool.ts';
import type { ThreadReport } from './local-module.ts';
import type { LocalAsk } from './local-messages.ts';
import { LocalTools } from './local-tools.ts';
import { reasonOf } from './reason-of.ts';

// The thread of one module whose exports are tools: if it blocks or dies, no other thread is affected.

const parent = parentPort as MessagePort;
const { name, module } = workerData as { readonly name: string; readonly module: string };

function report(message: ThreadReport): void {
  parent.postMessage(message);
}

/** The tools among a module's exports, alone or in lists; a tool that is exported twice counts once. */
function toolsIn(exports: Readonly<Record<string, unknown>>): readonly ToolDefinition[] {
  return [...new Set(Object.values(exports).flat().filter(isTool))];
}

function isTool(value: unknown): value is ToolDefinition {
  return isFields(value) && typeof value.name === 'string' && typeof value.execute === 'function';
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
