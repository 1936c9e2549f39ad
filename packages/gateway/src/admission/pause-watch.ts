import { type CallOutcome, type Redact, refusalText } from '@data-designer/core';
import type { GatewayEvent } from '../gateway-event.ts';
import { modelOf } from './model-state.ts';

/** Shorter pauses are not reported. */
const WORTH_TELLING_MS = 10_000;
const LONGEST_REASON = 200;

/** Watches the limits of models for long pauses. */
export interface PauseWatch {
  /** Records a response, and for how many ms it asks to wait; only 429 can lead to a pause. */
  readonly note: (resource: string, outcome: CallOutcome, askedMs?: number) => void;
  /** Call it when a limit may have changed: nothing is sent for `stoppedMs` from now on. */
  readonly look: (resource: string, stoppedMs: number) => void;
}

/** Reports each long pause once, with the endpoint's own words. */
export function watchPauses(tell: (event: GatewayEvent) => void, redact: Redact): PauseWatch {
  /** The latest refusal of a resource, and when it asks to come back. */
  const refusals = new Map<string, { readonly body: string; readonly askedUntil: number }>();
  /** The end of the last reported pause. */
  const told = new Map<string, number>();
  return {
    note: (resource, { status, body }, askedMs = 0) => {
      if (status === 429) refusals.set(resource, { body, askedUntil: performance.now() + askedMs });
    },
    look: (resource, stoppedMs) => {
      if (stoppedMs < WORTH_TELLING_MS) return;
      const { body = '', askedUntil = 0 } = refusals.get(resource) ?? {};
      // The limit pauses for less where the endpoint asks for more than a run waits.
      const waitMs = Math.max(stoppedMs, askedUntil - performance.now());
      const until = performance.now() + waitMs;
      if (until < (told.get(resource) ?? 0) + WORTH_TELLING_MS) return;
      told.set(resource, until);
      const reason = reasonOf(redact(body));
      tell({ type: 'model-pause', model: modelOf(resource), waitMs, reason });
    },
  };
}

function reasonOf(body: string): string {
  const [line = ''] = refusalText(body).trim().split('\n');
  const text = line.replaceAll(/\s+/g, ' ').replace(/\.+$/, '');
  return text.slice(0, LONGEST_REASON) || 'no reason given';
}
