import type { MessagePort } from 'node:worker_threads';
import type { ToolSchema, WireFailure } from '@data-designer/core';
import type { LocalAsk, ToolEnded } from '@data-designer/mcp';
import type { CallRecord } from '../call-record.ts';
import type { GatewayEvent } from '../gateway-event.ts';
import type { ModelState } from './model-state.ts';

/** From the host to the I/O thread. */
export type Control =
  | {
      readonly kind: 'open-group';
      readonly group: number;
      readonly journalPath: string | null;
      readonly port: MessagePort;
    }
  | { readonly kind: 'close-group'; readonly group: number; readonly keepJournal: boolean; readonly id: number }
  | { readonly kind: 'drain'; readonly graceMs: number; readonly id: number }
  | { readonly kind: 'list-tools'; readonly provider: string; readonly id: number }
  | { readonly kind: 'list-models'; readonly provider: string; readonly id: number }
  /** Plain data to redact. */
  | { readonly kind: 'redact'; readonly value: unknown; readonly id: number }
  | ToolEnded
  | { readonly kind: 'close'; readonly id: number };

/** From the I/O thread to the host: replies by number, functions to run, model states, calls, events, fatal failures. */
export type Report =
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'tools'; readonly id: number; readonly schemas: readonly ToolSchema[] }
  | { readonly kind: 'listed-models'; readonly id: number; readonly names: readonly string[] }
  | { readonly kind: 'redacted'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: WireFailure }
  | { readonly kind: 'event'; readonly event: GatewayEvent }
  | { readonly kind: 'models'; readonly models: readonly ModelState[] }
  | { readonly kind: 'calls'; readonly calls: readonly CallRecord[] }
  | LocalAsk
  /** The budget is spent, and rows wait for calls. */
  | { readonly kind: 'spent'; readonly reason: WireFailure }
  | { readonly kind: 'fatal'; readonly failure: WireFailure };
