import { type Data, makeData, Utf8 } from 'apache-arrow';
import { misfit, type Slots, validityOf } from './slots.ts';

/** The most bytes that the 32-bit offsets of an Arrow text array can address. */
const MAX_TEXT_BYTES = 2 ** 31 - 1;

/** Up to this many characters a loop is faster than the encoder, which needs a view of the buffer. */
const MAX_LOOPED = 32;

/** Encodes text as UTF-8 in one buffer with 32-bit offsets; lone surrogates become U+FFFD. */
export function encodeText(slots: Slots): Data<Utf8> {
  const { values } = slots;
  const text = new TextBuffer(charactersIn(slots));
  const valueOffsets = new Int32Array(values.length + 1);
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot];
    if (typeof value === 'string') text.append(value);
    if (text.length > MAX_TEXT_BYTES) throw tooMuchText(slots);
    valueOffsets[slot + 1] = text.length;
  }
  return makeData({ type: new Utf8(), length: values.length, ...validityOf(values), valueOffsets, data: text.bytes() });
}

/** The characters of all values, which must be text or null; checked before anything is allocated. */
function charactersIn(slots: Slots): number {
  const { values } = slots;
  let characters = 0;
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot];
    if (typeof value === 'string') characters += value.length;
    else if (value !== null && value !== undefined) throw misfit(slots, slot, 'utf8');
  }
  if (characters > MAX_TEXT_BYTES) throw tooMuchText(slots);
  return characters;
}

function tooMuchText({ name }: Slots): TypeError {
  return new TypeError(`Column '${name}' has more than 2 GiB of text in one batch. Use a smaller buffer_size.`);
}

/** The bytes of a text; in browsers, which have no `Buffer`, the most that it may have. */
const byteLength = (text: string): number =>
  typeof Buffer === 'undefined' ? text.length * 3 : Buffer.byteLength(text);

/** A buffer of UTF-8 text that doubles when it is full. */
class TextBuffer {
  readonly #encoder = new TextEncoder();
  #buffer: Uint8Array;
  length = 0;

  constructor(capacity: number) {
    this.#buffer = new Uint8Array(capacity);
  }

  append(text: string): void {
    const free = this.#buffer.length - this.length;
    if (free < text.length * 3 && free < byteLength(text)) this.#grow(byteLength(text));
    if (text.length <= MAX_LOOPED && this.#appendAscii(text)) return;
    this.length += this.#encoder.encodeInto(text, this.#buffer.subarray(this.length)).written;
  }

  /** Appends ASCII text; returns false for any other. */
  #appendAscii(text: string): boolean {
    const buffer = this.#buffer;
    const { length } = this;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) return false;
      buffer[length + index] = code;
    }
    this.length = length + text.length;
    return true;
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.length);
  }

  #grow(bytes: number): void {
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, this.length + bytes));
    larger.set(this.bytes());
    this.#buffer = larger;
  }
}
