/** Which slots of an Arrow array are not null, in the words of `makeData`; no bitmap where none is null. */
export interface Validity {
  readonly nullCount: number;
  readonly nullBitmap?: Uint8Array;
}

/** Counts the nulls (and absent values) and marks them in a bitmap, least significant bit first. */
export function validityOf(values: ArrayLike<unknown>): Validity {
  if (ArrayBuffer.isView(values)) return { nullCount: 0 };
  let nullCount = 0;
  let nullBitmap: Uint8Array | undefined;
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot];
    if (value !== null && value !== undefined) continue;
    nullBitmap ??= new Uint8Array(Math.ceil(values.length / 8)).fill(0xff);
    nullBitmap[slot >> 3]! &= ~(1 << (slot & 7));
    nullCount++;
  }
  return nullBitmap === undefined ? { nullCount } : { nullCount, nullBitmap };
}
