import { readSync, openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { PendingFile } from '@data-designer/dataset';
import { Random } from '@data-designer/core';
import { LineCollector, type Lines } from './lines.ts';

/** Lines in an order drawn by a seed: they lie in a file without a name, and memory holds 20 bytes of each. */
export class ShuffledLines {
  readonly #file: PendingFile;
  readonly #parts: (string | undefined)[];
  #ends = new Float64Array(1024);
  #partOf = new Uint8Array(1024);
  #count = 0;
  #end = 0;

  private constructor(file: PendingFile, parts: readonly (string | undefined)[]) {
    this.#file = file;
    this.#parts = [...parts];
  }

  /** Opens the file in the folder of the export, whose disk has the room. */
  static async open(folder: string, parts: readonly (string | undefined)[]): Promise<ShuffledLines> {
    return new ShuffledLines(await PendingFile.open(join(folder, 'shuffle')), parts);
  }

  add({ part, bytes, ends }: Lines): void {
    const index = this.#parts.indexOf(part);
    for (const end of ends) {
      if (this.#count === this.#ends.length) this.#grow();
      this.#ends[this.#count] = this.#end + end;
      this.#partOf[this.#count] = index;
      this.#count++;
    }
    this.#end += bytes.length;
    this.#file.append(bytes);
  }

  /** The lines in the order of a seed within each part; the file is removed behind them. */
  *lines(seed: number): Generator<Lines> {
    const collector = new LineCollector();
    const order = shuffledOrder(this.#count, seed);
    const file = openSync(this.#file.temporary, 'r');
    try {
      for (const index of order) {
        const start = index === 0 ? 0 : (this.#ends[index - 1] ?? 0);
        const bytes = Buffer.allocUnsafe((this.#ends[index] ?? 0) - start);
        for (let read = 0; read < bytes.length;)
          read += readSync(file, bytes, { offset: read, position: start + read });
        collector.of(this.#parts[this.#partOf[index] ?? 0]).addLine(bytes);
        if (collector.isFull) yield* collector.take();
      }
      yield* collector.take();
    } finally {
      closeSync(file);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.discard();
  }

  #grow(): void {
    const ends = new Float64Array(this.#ends.length * 2);
    ends.set(this.#ends);
    this.#ends = ends;
    const parts = new Uint8Array(ends.length);
    parts.set(this.#partOf);
    this.#partOf = parts;
  }
}

/** The positions 0 to `count - 1` in an order drawn by a seed (Fisher and Yates). */
function shuffledOrder(count: number, seed: number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  const random = Random.of(seed, 'shuffle').at(0);
  for (let last = count - 1; last > 0; last--) {
    const other = random.below(last + 1);
    const moved = order[last] ?? 0;
    order[last] = order[other] ?? 0;
    order[other] = moved;
  }
  return order;
}
