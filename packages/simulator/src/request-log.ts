import { once } from 'node:events';
import { createWriteStream, openSync, type WriteStream } from 'node:fs';
import { DataDesignerError, messageOf } from '@data-designer/core';
import type { Entry } from './ledger.ts';

/** A file that gets one JSON line for each request that has ended. */
export class RequestLog {
  readonly #stream: WriteStream;

  private constructor(stream: WriteStream) {
    this.#stream = stream;
  }

  /** Opens the file to append to; throws `dataset/unwritable`. */
  static open(path: string): RequestLog {
    try {
      return new RequestLog(createWriteStream(path, { fd: openSync(path, 'a') }));
    } catch (thrown) {
      const reason = messageOf(thrown);
      throw new DataDesignerError('dataset/unwritable', { path, reason }, { cause: thrown });
    }
  }

  /** Appends a line. */
  write(entry: Entry): void {
    this.#stream.write(`${JSON.stringify(entry)}\n`);
  }

  /** Resolves once all lines are written. */
  async close(): Promise<void> {
    this.#stream.end();
    await once(this.#stream, 'close');
  }
}
