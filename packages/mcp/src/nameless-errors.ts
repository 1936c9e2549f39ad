import { fieldsOf } from '@data-designer/core';
import type { InFlight } from './in-flight.ts';
import type { RpcMessage } from './link.ts';
import type { ToolCallResult } from './tool-session.ts';

/** The codes of JSON-RPC for requests whose id a server could not read. Servers refuse a notification as an invalid request too. */
const [PARSE_ERROR, INVALID_REQUEST] = [-32_700, -32_600];

/** Whether a message is an error without the id of a request. The SDK for Python writes an id that no request has. */
export function isNamelessError({ id, method, error }: Partial<RpcMessage>): boolean {
  const isNameless = id === undefined || id === null || id === 'server-error';
  return isNameless && method === undefined && error !== undefined && error !== null;
}

/** Errors without an id, until they can be for no other calls than those that are open. */
export class NamelessErrors {
  readonly #errors: ToolCallResult[] = [];
  /** The ids of the requests that came before each notification which the server may still refuse. */
  #notifiedAt: number[] = [];

  /** A notification was sent, before the request of this id. */
  notified(nextId: number): void {
    this.#notifiedAt.push(nextId);
  }

  /** A request was answered: the server has read all that was sent before it. */
  answered(id: number): void {
    this.#notifiedAt = this.#notifiedAt.filter((nextId) => nextId > id);
  }

  /** Adds an error for a request whose id the server could not read. Others are for notifications. */
  add({ error }: Partial<RpcMessage>, answer: ToolCallResult, calls: Iterable<InFlight>): void {
    const { code } = fieldsOf(error);
    const isForRequest = code === INVALID_REQUEST && this.#notifiedAt.shift() === undefined;
    if (code !== PARSE_ERROR && !isForRequest) return;
    this.#errors.push(answer);
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
