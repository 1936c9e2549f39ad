import { once } from 'node:events';
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { PendingFile, type StagedFile } from '@data-designer/dataset';
import type { Compression } from './compression.ts';

/** Opens a compressor; zstd needs Node 22.15. */
function compressor(compression: Compression): Transform {
  return compression === 'gzip' ? zlib.createGzip() : zlib.createZstdCompress();
}

/** A file of lines, written piece by piece, in one gzip member or zstd frame if it is compressed. */
export class LinesFile {
  readonly #file: PendingFile;
  readonly #compressor: Transform | undefined;
  #bytes = 0;
  #failure: unknown;

  private constructor(file: PendingFile, stream: Transform | undefined) {
    this.#file = file;
    this.#compressor = stream;
    stream?.on('data', (bytes: Buffer) => this.#append(bytes));
    stream?.on('error', (thrown) => (this.#failure ??= thrown));
  }

  static async open(path: string, compression: Compression | undefined): Promise<LinesFile> {
    return new LinesFile(await PendingFile.open(path), compression && compressor(compression));
  }

  /** The bytes of its lines, before compression. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Appends lines; a promise is there only where the file must be waited for. */
  add(bytes: Uint8Array): Promise<void> | undefined {
    this.#bytes += bytes.length;
    const stream = this.#compressor;
    if (stream) return new Promise<void>((resolve) => stream.write(bytes, () => resolve())).then(() => this.#check());
    this.#file.append(bytes);
    return undefined;
  }

  async finish(): Promise<StagedFile> {
    const stream = this.#compressor;
    if (stream) {
      const ended = once(stream, 'end');
      stream.end();
      await ended;
      this.#check();
    }
    return this.#file.finish();
  }

  async discard(): Promise<void> {
    this.#compressor?.destroy();
    await this.#file.discard();
  }

  /** An exception of a listener would end the process: the next lines throw it. */
  #append(bytes: Buffer): void {
    try {
      this.#file.append(bytes);
    } catch (thrown) {
      this.#failure ??= thrown;
    }
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
