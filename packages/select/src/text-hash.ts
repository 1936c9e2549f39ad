import * as crypto from 'node:crypto';

/** Words of a text hash. */
export const TEXT_HASH_WORDS = 4;

/** The first 128 bits of the SHA-256 of a text. Equal hashes count as equal texts. */
export function hashText(text: string): Uint32Array {
  const digits = crypto.hash('sha256', text, 'hex');
  return Uint32Array.from({ length: TEXT_HASH_WORDS }, (_, word) =>
    Number.parseInt(digits.slice(word * 8, word * 8 + 8), 16),
  );
}
