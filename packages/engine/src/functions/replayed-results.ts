import { isDeepStrictEqual } from 'node:util';

/** A function call: which function, for which rows, with which arguments. */
export interface ReplayableCall {
  readonly handle: string;
  readonly args: readonly unknown[];
  readonly given?: Readonly<Record<string, unknown>>;
  readonly cells: readonly { readonly rowIndex: number }[];
}

interface ReplayedResult {
  readonly call: ReplayableCall;
  readonly result: unknown;
}

/**
 * Results of functions during a dry replay, for the run that follows: a function that did not use its cell returns the
 * same for the same rows, and is not called for them again. Each result is returned once.
 */
export class ReplayedResults {
  readonly #results = new Map<string, ReplayedResult>();

  /** Adds the result of a call for rows. */
  add(call: ReplayableCall, result: unknown): void {
    if (call.cells.length > 0) this.#results.set(keyOf(call), { call, result });
  }

  /** Takes the result of an equal call; undefined where there is none. */
  take(call: ReplayableCall): { readonly result: unknown } | undefined {
    if (this.#results.size === 0) return undefined;
    const key = keyOf(call);
    const replayed = this.#results.get(key);
    this.#results.delete(key);
    return replayed && isSame(replayed.call, call) ? replayed : undefined;
  }
}

function keyOf({ handle, cells }: ReplayableCall): string {
  return `${handle} ${cells.map(({ rowIndex }) => rowIndex).join()}`;
}

function isSame(one: ReplayableCall, other: ReplayableCall): boolean {
  return isDeepStrictEqual(one.args, other.args) && isDeepStrictEqual(one.given, other.given);
}
