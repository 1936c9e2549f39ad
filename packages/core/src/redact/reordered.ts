import { type Layer, LayerWriter } from './layer.ts';

/** The layer from its end to its start. */
export function reversed({ bytes, starts, ends, isInPlace }: Layer): Layer {
  return { bytes: Buffer.from(bytes.toReversed()), starts: starts.toReversed(), ends: ends.toReversed(), isInPlace };
}

/** A number of at most eight digits. */
const NUMBER = /(?<![\da-z])(?:0?[bo])?\d{1,8}(?![\da-z])/gi;
const BASES = [
  { base: 10, digits: /^\d{1,3}$/ },
  { base: 8, digits: /^0?o?[0-7]{2,3}$/i },
  { base: 2, digits: /^(?:0?b)?[01]{6,8}$/i },
];
/** The fewest numbers in a list that can hold a secret. */
const FEWEST = 8;

/** The characters whose codes stand in a layer as a list of numbers, for each base. */
export function listed(layer: Layer): Layer[] {
  if (!hasNumbers(layer.bytes)) return [];
  const numbers = [...layer.bytes.toString('latin1').matchAll(NUMBER)];
  if (numbers.length < FEWEST) return [];
  return BASES.flatMap(({ base, digits }) => {
    const writer = new LayerWriter(layer);
    for (const { 0: number, index } of numbers) {
      const byte = digits.test(number) ? Number.parseInt(number.replace(/^0?[ob]/i, ''), base) : 0;
      if (byte > 0 && byte < 256) writer.add(byte, index, index + number.length);
    }
    const list = writer.layer(false);
    return list.bytes.length < FEWEST ? [] : [list];
  });
}

/** Whether enough numbers begin in some bytes. */
function hasNumbers(bytes: Uint8Array): boolean {
  let count = 0;
  let wasDigit = false;
  for (const byte of bytes) {
    const isDigit = byte >= 0x30 && byte <= 0x39;
    if (isDigit && !wasDigit && ++count >= FEWEST) return true;
    wasDigit = isDigit;
  }
  return false;
}
