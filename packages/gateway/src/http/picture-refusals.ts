import { type Call, type CallOutcome, refusalText } from '@data-designer/core';
import { saysTextOnly } from '@data-designer/models/protocols';
import type { GatewayEvent } from '../gateway-event.ts';
import { modelOf } from '../admission/model-state.ts';

const LONGEST_REASON = 200;
const UNSENT = { requests: 0, refused: 0, possiblyPaid: 0 } as const;

/**
 * The models of a run that take no pictures, as their endpoints said. Further requests with pictures of the same source get
 * the same refusal without being sent: a conversation repeats them as it would after a refusal by the endpoint, so that a
 * resumed run sends the same requests.
 */
export class PictureRefusals {
  readonly #tell: ((event: GatewayEvent) => void) | undefined;
  readonly #refusals = new Map<string, CallOutcome>();
  /** Models and sources whose pictures were accepted once: a later refusal concerns one picture. */
  readonly #accepted = new Set<string>();

  constructor(tell?: (event: GatewayEvent) => void) {
    this.#tell = tell;
  }

  /** The refusal that a request would get; undefined if it is to be sent. */
  refusalOf(call: Call): CallOutcome | undefined {
    const known = this.#refusals.get(keyOf(call));
    return known && { ...known, tries: UNSENT };
  }

  /** Notes the outcome of a request, without the secrets of the run. */
  note(call: Call, outcome: CallOutcome): void {
    if (call.pictures === undefined) return;
    const key = keyOf(call);
    if (outcome.status < 300 && !outcome.verdict) return void this.#accepted.add(key);
    const text = refusalText(outcome.body).replaceAll(/\s+/g, ' ').trim();
    if (outcome.status < 400 || this.#accepted.has(key) || this.#refusals.has(key) || !saysTextOnly(text)) return;
    this.#refusals.set(key, { ...outcome, verdict: 'about-this' });
    const reason = text.slice(0, LONGEST_REASON).replace(/\.+$/, '');
    this.#tell?.({ type: 'model-refuses-pictures', model: modelOf(call.resource), source: call.pictures, reason });
  }
}

function keyOf({ resource, pictures }: Call): string {
  return `${pictures ?? ''} ${resource}`;
}
