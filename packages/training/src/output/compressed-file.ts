import { once } from 'node:events';
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { PendingFile, type StagedFile } from '@data-designer/dataset';
import type { Compression } from './compression.ts';

/** Opens a compressor; zstd needs Node 22.15. */
function compressor(compression: Compression): Transform {
  return compression === 'gzip' ? zlib.createGzip() : zlib.createZstdCompress();
}

/** Lines are compressed and written in chunks of this length. */
const CHUNK_LENGTH = 256 * 1024;

/** A file of lines, written piece by piece, in one gzip member or zstd frame if it is compressed. */
export class LinesFile {
  readonly #file: PendingFile;
  readonly #compressor: Transform | undefined;
  #text = '';
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

  /** Appends a line; a promise is there only where the file must be waited for. */
  add(line: string): Promise<void> | undefined {
    this.#text += line;
    this.#bytes += Buffer.byteLength(line);
    return this.#text.length < CHUNK_LENGTH ? undefined : this.#flush();
  }

  async finish(): Promise<StagedFile> {
    await this.#flush();
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

  #flush(): Promise<void> | undefined {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    const stream = this.#compressor;
    if (stream) return new Promise<void>((resolve) => stream.write(bytes, () => resolve())).then(() => this.#check());
    this.#file.append(bytes);
    return undefined;
  }

  /** An exception of a listener would end the process: the next flush throws it. */
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
