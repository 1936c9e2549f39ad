import { str } from '../value/print.ts';
import type { Value } from '../value/value.ts';
import { type Execute, Render } from './render.ts';

/** Renders to a value: one printed value stays as it is, several become text. */
export class NativeRender extends Render {
  #parts: Value[] = [];

  override emit(value: Value): void {
    this.charge(1);
    this.#parts.push(value);
  }

  override write(text: string): void {
    this.emit(text);
  }

  override capture(run: Execute): string {
    const before = this.#parts;
    this.#parts = [];
    run(this);
    const text = this.#joined();
    this.#parts = before;
    return text;
  }

  /** The printed value; None if there is none. */
  get result(): Value {
    const [first = null] = this.#parts;
    return this.#parts.length <= 1 ? first : this.#joined();
  }

  #joined(): string {
    return this.#parts.map((part) => str(part, this)).join('');
  }
}
