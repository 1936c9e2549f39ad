const ROUNDS = 8;

/**
 * Shuffles the integers from 0 to 2^32 - 1 by a key of 64 bits: each goes to another place, and no two to the same.
 * A Feistel network (Luby and Rackoff, 1988) over halves of 16 bits; the round function mixes a half and a key as
 * MurmurHash3 finishes (Appleby, public domain).
 */
export function permute(value: number, key0: number, key1: number): number {
  let left = value >>> 16;
  let right = value & 0xffff;
  for (let round = 0; round < ROUNDS; round++) {
    const key = (round & 1) === 0 ? key0 : key1;
    const mixed = mix(right ^ Math.imul(round + 1, 0x9e3779b9) ^ key) & 0xffff;
    const next = left ^ mixed;
    left = right;
    right = next;
  }
  return ((left << 16) | right) >>> 0;
}

/** All bits of what comes out depend on all bits of what goes in. */
function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
