import { fieldsOf } from '@data-designer/core';
import type { InFlight } from './in-flight.ts';
import type { RpcMessage } from './link.ts';
import type { ToolCallResult } from './tool-session.ts';

/** The codes of JSON-RPC for requests whose id a server could not read: a parse error and an invalid request. */
const UNREAD: ReadonlySet<unknown> = new Set([-32_700, -32_600]);

/** Whether a message is an error for a request whose id the server could not read; others without an id are for notifications. */
export function isNamelessError({ id, error }: Partial<RpcMessage>): boolean {
  return id === null && UNREAD.has(fieldsOf(error).code);
}

/** Errors without an id, until they can be for no other calls than those that are open. */
export class NamelessErrors {
  readonly #errors: ToolCallResult[] = [];

  add(error: ToolCallResult, calls: Iterable<InFlight>): void {
    this.#errors.push(error);
    this.settle(calls);
  }

  /** Gives the errors to the open calls if each of them got one. */
  settle(calls: Iterable<InFlight>): void {
    if (this.#errors.length === 0) return;
    const open = [...calls].filter(({ isUnderWay }) => isUnderWay);
    if (open.length > this.#errors.length) return;
    for (const call of open) {
      const error = this.#errors.shift();
      if (error) call.answer(error);
    }
    this.#errors.length = 0;
  }
}
