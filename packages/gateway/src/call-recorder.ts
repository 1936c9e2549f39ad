import { type Call, type CallOutcome, DataDesignerError, type Resource } from '@data-designer/core';
import { type CallRecord, recordOf } from './call-record.ts';

/** How long a record may wait for others, and how many are sent at once: a message costs more than a record. */
const SEND_EVERY_MS = 100;
const BATCH = 256;

/** A call that is about to be sent, and where it goes. */
export interface RecordedCall {
  readonly call: Call;
  readonly group: number;
  readonly resource: Resource;
  readonly server: string;
}

/** Records the calls of a run and hands the records on in batches. */
export class CallRecorder {
  readonly #take: (calls: readonly CallRecord[]) => void;
  #waiting: CallRecord[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(take: (calls: readonly CallRecord[]) => void) {
    this.#take = take;
  }

  /** Sends a call and records how it ended. */
  async during<Sent extends { readonly outcome: CallOutcome }>(
    recorded: RecordedCall,
    send: () => Promise<Sent>,
  ): Promise<Sent> {
    const startedAtMs = performance.timeOrigin + performance.now();
    const add = (end: CallOutcome | DataDesignerError): void => {
      const elapsedMs = performance.timeOrigin + performance.now() - startedAtMs;
      this.#add(recordOf({ ...recorded, startedAtMs, elapsedMs, end }));
    };
    try {
      const sent = await send();
      add(sent.outcome);
      return sent;
    } catch (thrown) {
      add(DataDesignerError.fromUnknown(thrown));
      throw thrown;
    }
  }

  /** Hands on the records that wait. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const calls = this.#waiting;
    this.#waiting = [];
    this.#take(calls);
  }

  #add(record: CallRecord | undefined): void {
    if (!record) return;
    this.#waiting.push(record);
    if (this.#waiting.length >= BATCH) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), SEND_EVERY_MS).unref();
  }
}
