import { type CallOutcome, refusalText } from '@data-designer/core';

/** The most kinds of refusals that are remembered. */
const MOST_KINDS = 200;
/** The characters of a refusal that tell its kind. */
const KIND_LENGTH = 200;
/** Identifiers, counts and times, which differ between refusals of one kind. */
const VARYING = /[\w-]*\d[\w-]*/g;

/** Status and words of a refusal, without what differs from one request to the next. */
export function refusalKindOf({ status, body }: CallOutcome): string {
  return `${status} ${refusalText(body)
    .slice(0, 2 * KIND_LENGTH)
    .replaceAll(VARYING, '')
    .slice(0, KIND_LENGTH)}`;
}

/** Which refusals of an endpoint concerned single requests, and which passed when the request was made again. */
export class RefusalMemory {
  readonly #single = new Set<string>();
  readonly #passing = new Set<string>();

  /** Records that a request with this refusal was refused to the end while others were answered. */
  settled(kind: string): void {
    if (!this.#passing.has(kind) && this.#single.size < MOST_KINDS) this.#single.add(kind);
  }

  /** Records that a request with this refusal was answered later. */
  passed(kind: string): void {
    this.#single.delete(kind);
    if (this.#passing.size < MOST_KINDS) this.#passing.add(kind);
  }

  isSingle(kind: string): boolean {
    return this.#single.has(kind);
  }

  isPassing(kind: string): boolean {
    return this.#passing.has(kind);
  }
}
