import type { MessagePort } from 'node:worker_threads';
import { DataDesignerError, type ToolSchema, type UntimedCall } from '@data-designer/core';
import type { JournalRecord } from '@data-designer/dataset/journal';
import { JournaledAnswers, requestOf } from '../journal/journaled-answers.ts';
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
} from './channel-messages.ts';

/** What a dry replay answers from: the entries of a group's journal, and the tools as models saw them. */
export interface DryReplayParts {
  readonly entries: readonly JournalRecord[];
  readonly tools: Readonly<Record<string, readonly ToolSchema[]>>;
}

/**
 * Serves a row group from its journal alone, through its port until that closes: every other call fails with
 * `journal/ends`. Returns the entries whose request differs from the call made at their address, which grow meanwhile.
 */
export function serveDryReplay(port: MessagePort, { entries, tools }: DryReplayParts): readonly JournalRecord[] {
  const answers = new JournaledAnswers(entries);
  const out = new BatchingPort(port, writeReply, insteadOfReply);
  const replyTo = (ask: Ask): Reply | undefined => {
    switch (ask.kind) {
      case 'admit':
        return { kind: 'admitted', id: ask.id };
      case 'tools':
        return { kind: 'tools', id: ask.id, schemas: tools[ask.provider] ?? [] };
      case 'lookup':
      case 'call':
        return answerOf(answers, ask.id, { ...ask.call, body: unpack(ask.body) });
      case 'journal':
      case 'fail-cell':
        return { kind: 'journaled', id: ask.id };
      case 'server':
        return { kind: 'failed', id: ask.id, failure: new DataDesignerError('journal/ends', {}).toWire() };
      case 'cancel':
      case 'release':
        return undefined;
    }
  };
  port.on('message', (asks: readonly Line<Ask>[]) => {
    for (const line of asks) {
      const reply = replyTo(readAsk(line));
      if (reply) out.send(reply);
    }
  });
  return answers.voided;
}

function answerOf(answers: JournaledAnswers, id: number, call: UntimedCall): Reply {
  const journaled = answers.answer(call, requestOf(call));
  if (!journaled) return { kind: 'failed', id, failure: new DataDesignerError('journal/ends', {}).toWire() };
  return outcomeReply(id, journaled);
}
