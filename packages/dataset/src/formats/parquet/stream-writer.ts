import { ByteWriter } from 'hyparquet-writer';

const CHUNK_BYTES = 1_000_000;

/** A Parquet writer's buffer that hands on its bytes by the megabyte instead of growing. */
export class StreamWriter extends ByteWriter {
  readonly #append: (bytes: Uint8Array) => void;

  /** `append` must have done with the bytes when it returns. */
  constructor(append: (bytes: Uint8Array) => void) {
    super(CHUNK_BYTES + 4096);
    this.#append = append;
  }

  override ensure(size: number): void {
    if (this.index >= CHUNK_BYTES) this.#handOn();
    super.ensure(size);
  }

  override appendBytes(value: Uint8Array): void {
    if (value.length < CHUNK_BYTES) {
      super.appendBytes(value);
      return;
    }
    this.#handOn();
    this.#append(value);
    this.offset += value.length;
  }

  override finish(): void {
    this.#handOn();
  }

  #handOn(): void {
    if (this.index > 0) this.#append(this.getBytes());
    this.index = 0;
  }
}
