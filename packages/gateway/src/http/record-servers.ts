import { type Call, type CallOutcome, DataDesignerError, LONGEST_SECONDS, type Resource } from '@data-designer/core';
import { RecordServer } from './record-server.ts';
import type { SendOptions } from './send-patiently.ts';
import type { GuardedWeb } from '../downloads/web-reader.ts';

/** What stands for the answer of a server that is not to be asked. */
const NOT_ASKED: CallOutcome = { status: 204, headers: {}, body: '' };

const LONGEST_MS = LONGEST_SECONDS * 1000;

/** The servers that columns ask, each opened by the first question. */
export class RecordServers {
  readonly #web: GuardedWeb | undefined;
  readonly #options: { readonly allowPrivate: boolean };
  readonly #opened = new Map<string, RecordServer>();
  /** Those of which an answer of an earlier run is at hand. */
  readonly #known = new Set<string>();

  constructor(web: GuardedWeb | undefined, options: { readonly allowPrivate: boolean }) {
    this.#web = web;
    this.#options = options;
  }

  /** Sends an admitted call to the server of its resource; throws `validator/*` where nothing comes of it. */
  async send(call: Call, { id, server }: Resource, options: SendOptions): Promise<CallOutcome> {
    if (!server || !this.#web) {
      options.permit.release();
      if (!server) return NOT_ASKED;
      throw new DataDesignerError('internal/unexpected', { reason: 'nothing was given to ask servers with' });
    }
    const { column } = call;
    const known = this.#opened.get(id) ?? new RecordServer({ column, ...server }, { web: this.#web, ...this.#options });
    this.#opened.set(id, known);
    if (this.#known.has(id)) known.servedEarlier();
    return known.send({ ...call, timeoutMs: Math.min(call.timeoutMs, LONGEST_MS) }, options);
  }

  /** An answer of an earlier run is at hand. */
  servedEarlier(id: string): void {
    this.#known.add(id);
    this.#opened.get(id)?.servedEarlier();
  }
}
