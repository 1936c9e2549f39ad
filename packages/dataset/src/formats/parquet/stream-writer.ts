import { ByteWriter } from 'hyparquet-writer';

const CHUNK_BYTES = 1_000_000;

/** A buffer for the Parquet writer that appends its bytes to a file by the megabyte instead of growing. */
export class StreamWriter extends ByteWriter {
  readonly #append: (bytes: Uint8Array) => void;

  /** `append` must not use the bytes after it returns. */
  constructor(append: (bytes: Uint8Array) => void) {
    super(CHUNK_BYTES + 4096);
    this.#append = append;
  }

  override ensure(size: number): void {
    if (this.index >= CHUNK_BYTES) this.#flush();
    super.ensure(size);
  }

  override appendBytes(value: Uint8Array): void {
    if (value.length < CHUNK_BYTES) {
      super.appendBytes(value);
      return;
    }
    this.#flush();
    this.#append(value);
    this.offset += value.length;
  }

  override finish(): void {
    this.#flush();
  }

  #flush(): void {
    if (this.index > 0) this.#append(this.getBytes());
    this.index = 0;
  }
}
