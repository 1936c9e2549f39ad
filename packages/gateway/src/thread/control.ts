import type { MessagePort } from 'node:worker_threads';
import type { Resource, ToolSchema, WireFailure } from '@data-designer/core';
import type { LocalAsk, ToolEnded } from '@data-designer/mcp';
import type { MachineShares, MachineUse } from '../admission/cluster-limits.ts';
import type { CallRecord } from '../call-record.ts';
import type { GatewayEvent } from '../gateway-event.ts';
import type { ProviderRouterOptions } from '../provider-router.ts';
import type { ModelState } from '../admission/model-state.ts';

/** From the host to the I/O thread, which may serve several runs: each has a number. */
export type ToThread =
  | { readonly kind: 'open'; readonly run: number; readonly settings: IoThreadSettings }
  | { readonly kind: 'control'; readonly run: number; readonly control: Control }
  /** Before the first run: all runs share the limits of these resources, or have limits of their own. */
  | { readonly kind: 'share'; readonly resources: readonly Resource[] | undefined }
  /** What an account of the shared budget has spent in all. */
  | { readonly kind: 'spend'; readonly account: string; readonly cost: number };

/** From the I/O thread to the host. */
export interface FromThread {
  readonly run: number;
  readonly report: Report;
}

/** The settings of a run. */
export interface IoThreadSettings extends ProviderRouterOptions {
  /** Whether to record calls. */
  readonly recordsCalls: boolean;
  /** Whether the limits are shared with other machines. */
  readonly isClustered: boolean;
  /** The account of the run in a shared budget; absent for a thread of its own. */
  readonly account?: string | undefined;
}

/** From the host to the gateway of a run. */
export type Control =
  | {
      readonly kind: 'open-group';
      readonly group: number;
      readonly journalPath: string | null;
      readonly port: MessagePort;
    }
  | { readonly kind: 'close-group'; readonly group: number; readonly keepJournal: boolean; readonly id: number }
  | { readonly kind: 'end-group'; readonly group: number }
  | { readonly kind: 'drain'; readonly graceMs: number; readonly id: number }
  | { readonly kind: 'list-tools'; readonly provider: string; readonly rests: boolean; readonly id: number }
  | { readonly kind: 'list-models'; readonly provider: string; readonly id: number }
  /** Plain data to redact. */
  | { readonly kind: 'redact'; readonly value: unknown; readonly id: number }
  | ToolEnded
  /** New shares of the limits of the cluster; undefined if it could not be reached. */
  | { readonly kind: 'shares'; readonly shares: MachineShares | undefined }
  /** The cluster asks for the use of this machine now. */
  | { readonly kind: 'exchange-now' }
  | { readonly kind: 'close'; readonly id: number };

/** From the gateway of a run to the host: replies by number, functions to run, use of shared limits, model states, calls, events, fatal failures. */
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
  | { readonly kind: 'use'; readonly use: MachineUse }
  /** The budget is spent, and rows wait for calls. */
  | { readonly kind: 'spent'; readonly reason: WireFailure }
  | { readonly kind: 'fatal'; readonly failure: WireFailure };
