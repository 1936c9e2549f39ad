import { isDeepStrictEqual } from 'node:util';

/** A call of a function: which, for which rows, and with what. */
export interface KeptCall {
  readonly handle: string;
  readonly args: readonly unknown[];
  readonly given?: Readonly<Record<string, unknown>>;
  readonly cells: readonly { readonly rowIndex: number }[];
}

interface Kept {
  readonly call: KeptCall;
  readonly result: unknown;
}

/**
 * What functions gave while journals were looked at, for the run that follows: one that asked nothing and did nothing outside
 * gives the same for the same rows, and is not called for them again. Each result is given once.
 */
export class KeptResults {
  readonly #kept = new Map<string, Kept>();

  /** Keeps a result of a call for rows. */
  keep(call: KeptCall, result: unknown): void {
    if (call.cells.length > 0) this.#kept.set(keyOf(call), { call, result });
  }

  /** The result of the same call, with nothing else in it; undefined where there is none. */
  take(call: KeptCall): { readonly result: unknown } | undefined {
    if (this.#kept.size === 0) return undefined;
    const key = keyOf(call);
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    return kept && isSame(kept.call, call) ? kept : undefined;
  }
}

function keyOf({ handle, cells }: KeptCall): string {
  return `${handle} ${cells.map(({ rowIndex }) => rowIndex).join()}`;
}

function isSame(one: KeptCall, other: KeptCall): boolean {
  return isDeepStrictEqual(one.args, other.args) && isDeepStrictEqual(one.given, other.given);
}
