import type { MessagePort } from 'node:worker_threads';
import { DataDesignerError, type ToolSchema, type UntimedCall } from '@data-designer/core';
import type { JournalRecord } from '@data-designer/dataset/journal';
import { JournaledAnswers, requestOf } from './journaled-answers.ts';
import {
  type Ask,
  BatchingPort,
  insteadOfReply,
  type Line,
  outcomeReply,
  readAsk,
  type Reply,
  unpack,
  writeReply,
} from '../thread/channel-messages.ts';

/**
 * Serves a row group from its journal alone: every other call fails with `journal/ends`. The calls show which entries
 * are void.
 */
export class DryReplay {
  readonly #entries: JournaledAnswers;
  readonly #tools: Readonly<Record<string, readonly ToolSchema[]>>;

  constructor(entries: readonly JournalRecord[], tools: Readonly<Record<string, readonly ToolSchema[]>>) {
    this.#entries = new JournaledAnswers(entries);
    this.#tools = tools;
  }

  /** The entries whose request differs from the call made at their address, so far. */
  get voided(): readonly JournalRecord[] {
    return this.#entries.voided;
  }

  /** Serves a worker through its port until that closes. */
  attach(port: MessagePort): void {
    const out = new BatchingPort(port, writeReply, insteadOfReply);
    port.on('message', (asks: readonly Line<Ask>[]) => {
      for (const line of asks) {
        const reply = this.#replyTo(readAsk(line));
        if (reply) out.send(reply);
      }
    });
  }

  #replyTo(ask: Ask): Reply | undefined {
    switch (ask.kind) {
      case 'admit':
        return { kind: 'admitted', id: ask.id };
      case 'tools':
        return { kind: 'tools', id: ask.id, schemas: this.#tools[ask.provider] ?? [] };
      case 'lookup':
      case 'call':
        return this.#answer(ask.id, { ...ask.call, body: unpack(ask.body) });
      case 'keep':
      case 'fail-cell':
        return { kind: 'kept', id: ask.id };
      case 'cancel':
      case 'release':
        return undefined;
    }
  }

  #answer(id: number, call: UntimedCall): Reply {
    const journaled = this.#entries.answer(call, requestOf(call));
    if (!journaled) return { kind: 'failed', id, failure: new DataDesignerError('journal/ends', {}).toWire() };
    return outcomeReply(id, journaled);
  }
}
