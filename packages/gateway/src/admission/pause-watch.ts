import { type CallOutcome, type Redact, refusalText } from '@data-designer/core';
import { modelOf } from '../thread/model-state.ts';

/** A pause in the requests to a model whose endpoint refuses. */
export interface ModelPause {
  readonly model: string;
  readonly waitMs: number;
  /** The endpoint's own words. */
  readonly reason: string;
}

/** Shorter pauses are not reported. */
const WORTH_TELLING_MS = 10_000;
const LONGEST_REASON = 200;

/** Reports each long pause once. */
export class PauseWatch {
  readonly #tell: (pause: ModelPause) => void;
  readonly #redact: Redact;
  /** The latest refusal of a resource. */
  readonly #refusals = new Map<string, string>();
  /** The end of the last reported pause. */
  readonly #told = new Map<string, number>();

  constructor(tell: (pause: ModelPause) => void, redact: Redact) {
    this.#tell = tell;
    this.#redact = redact;
  }

  /** Records a response; only 429 can lead to a pause. */
  note(resource: string, { status, body }: CallOutcome): void {
    if (status === 429) this.#refusals.set(resource, body);
  }

  /** Call it when a limit may have changed: nothing is sent for `stoppedMs` from now on. */
  look(resource: string, stoppedMs: number): void {
    if (stoppedMs < WORTH_TELLING_MS) return;
    const until = performance.now() + stoppedMs;
    if (until < (this.#told.get(resource) ?? 0) + WORTH_TELLING_MS) return;
    this.#told.set(resource, until);
    const reason = reasonOf(this.#redact(this.#refusals.get(resource) ?? ''));
    this.#tell({ model: modelOf(resource), waitMs: stoppedMs, reason });
  }
}

function reasonOf(body: string): string {
  const [line = ''] = refusalText(body).trim().split('\n');
  const text = line.replaceAll(/\s+/g, ' ').replace(/\.+$/, '');
  return text.slice(0, LONGEST_REASON) || 'it gave no reason';
}
