import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ToolSchema } from '@data-designer/core';
import { folderJournal } from '@data-designer/dataset/journal';
import type { RunGateway } from '../run-gateway.ts';

/** The gateway of a plan without models, tools and servers: no thread, no journal, ports without a receiver. */
export class OfflineGateway implements RunGateway {
  readonly #ports = new Map<number, MessagePort>();
  readonly #journals = new Map<number, string | null>();
  readonly lost = new Promise<never>(() => {});
  readonly spent = new Promise<never>(() => {});

  openGroup(group: number, journalPath: string | null): MessagePort {
    this.#journals.set(group, journalPath);
    const { port1, port2 } = new MessageChannel();
    this.#ports.get(group)?.close();
    this.#ports.set(group, port1);
    return port2;
  }

  async closeGroup(group: number, { keepJournal }: { keepJournal: boolean }): Promise<void> {
    this.#ports.get(group)?.close();
    this.#ports.delete(group);
    const journal = this.#journals.get(group);
    this.#journals.delete(group);
    // A local group has a journal only where one of its cells failed for good.
    if (journal && !keepJournal) await folderJournal(journal).remove();
  }

  /** Its groups make no calls. */
  endGroup(): void {}

  drain(): Promise<void> {
    return Promise.resolve();
  }

  listTools(): Promise<readonly ToolSchema[]> {
    return Promise.resolve([]);
  }

  /** Such a plan has no secrets. */
  redact<Value>(value: Value): Promise<Value> {
    return Promise.resolve(value);
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const port of this.#ports.values()) port.close();
    this.#ports.clear();
    return Promise.resolve();
  }
}
