import type { MessagePort } from 'node:worker_threads';
import type { ToolSchema, WireFailure } from '@data-designer/core';
import type { LocalAsk, ToolEnded } from '@data-designer/mcp';
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
  /** Plain data in which the secrets of the run are to be redacted. */
  | { readonly kind: 'redact'; readonly value: unknown; readonly id: number }
  | ToolEnded
  | { readonly kind: 'close'; readonly id: number };

/** From the I/O thread to the host: answers by number, functions to run, how models stand, events, failures that end the run. */
export type Report =
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'tools'; readonly id: number; readonly schemas: readonly ToolSchema[] }
  | { readonly kind: 'redacted'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: WireFailure }
  | { readonly kind: 'event'; readonly event: GatewayEvent }
  | { readonly kind: 'models'; readonly models: readonly ModelState[] }
  | LocalAsk
  /** The budget is spent, and somebody wants more. */
  | { readonly kind: 'spent'; readonly reason: WireFailure }
  | { readonly kind: 'fatal'; readonly failure: WireFailure };
