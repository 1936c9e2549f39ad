import { createHash } from 'node:crypto';

const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;
const ROUNDS = 10;

/** The high 32 bits of an unsigned 32 x 32 bit product, as a signed integer: products of halves, none above 32 bits. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const upper = (Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16)) | 0;
  const middle = (Math.imul(aLow, bHigh) + (upper & 0xffff)) | 0;
  return (Math.imul(aHigh, bHigh) + (upper >>> 16) + (middle >>> 16)) | 0;
}

/**
 * Philox4x32-10: turns a 128 bit counter and a 64 bit key into 128 random bits, in place.
 * Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC11), with its test vectors.
 */
export function philox(block: Uint32Array, key0: number, key1: number): void {
  // Signed integers throughout: anything above 31 bits would be held as a float.
  let c0 = (block[0] ?? 0) | 0;
  let c1 = (block[1] ?? 0) | 0;
  let c2 = (block[2] ?? 0) | 0;
  let c3 = (block[3] ?? 0) | 0;
  let k0 = key0 | 0;
  let k1 = key1 | 0;
  for (let round = 0; round < ROUNDS; round++) {
    const high0 = multiplyHigh(MULTIPLIER_0, c0);
    const low0 = Math.imul(MULTIPLIER_0, c0);
    const high1 = multiplyHigh(MULTIPLIER_1, c2);
    const low1 = Math.imul(MULTIPLIER_1, c2);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 = (k0 + WEYL_0) | 0;
    k1 = (k1 + WEYL_1) | 0;
  }
  block[0] = c0;
  block[1] = c1;
  block[2] = c2;
  block[3] = c3;
}

/**
 * Randomness by address: every draw is a pure function of (run seed, column, row index, draw number), so the same seed
 * gives the same cells whatever the group size, thread, machine or order. Move with `at`, then draw.
 */
export class Random {
  readonly #key0: number;
  readonly #key1: number;
  readonly #block = new Uint32Array(4);
  #row = 0;
  #lane = 0;
  #word = 0;
  #loaded = -1;

  constructor(key0: number, key1: number) {
    this.#key0 = key0;
    this.#key1 = key1;
  }

  /** The generator of one column; `seed` is an integer from 0 to 2^53 - 1. */
  static of(seed: number, column: string): Random {
    const digest = createHash('sha256').update(`${seed}\0${column}`).digest();
    return new Random(digest.readUInt32LE(0), digest.readUInt32LE(4));
  }

  /** The constructor arguments of an equal generator. */
  get key(): readonly [number, number] {
    return [this.#key0, this.#key1];
  }

  /** A generator of the same draws with its own position: concurrent cells must not share one. */
  copy(): Random {
    return new Random(this.#key0, this.#key1);
  }

  /** Moves to a draw of a row; lane 0 belongs to the cell, the others to its calls. */
  at(row: number, draw = 0, lane = 0): this {
    this.#row = row;
    this.#lane = lane;
    this.#word = draw * 2;
    this.#loaded = -1;
    return this;
  }

  /** The next draw: a float in [0, 1) with 53 random bits. */
  float(): number {
    const high = this.#next() >>> 5;
    return (high * 0x4000000 + (this.#next() >>> 6)) / 0x20000000000000;
  }

  /** The next draw as an integer in [0, bound), for bounds up to 2^53. */
  below(bound: number): number {
    return Math.floor(this.float() * bound);
  }

  /** The next 32 random bits, as an integer from 0; two of them make a draw. */
  bits(): number {
    return this.#next() >>> 0;
  }

  /**
   * 32 bits, as an integer from 0, that differ between all of the column's first 2^32 rows: the row number under a
   * permutation of the column. Not a draw: calling it again gives the same value.
   */
  distinctBits(): number {
    return permute(this.#row >>> 0, this.#key0 ^ Math.floor(this.#row / 0x100000000), this.#key1);
  }

  #next(): number {
    const wanted = this.#word >>> 2;
    if (this.#loaded !== wanted) this.#load(wanted);
    return this.#block[this.#word++ & 3] ?? 0;
  }

  #load(wanted: number): void {
    const block = this.#block;
    const row = this.#row;
    block[0] = wanted;
    block[1] = row;
    block[2] = row < 0x100000000 ? 0 : Math.floor(row / 0x100000000);
    block[3] = this.#lane;
    philox(block, this.#key0, this.#key1);
    this.#loaded = wanted;
  }
}

const SHUFFLE_ROUNDS = 8;

/**
 * A permutation of the integers from 0 to 2^32 - 1 by a key of 64 bits.
 * A Feistel network (Luby and Rackoff, 1988) over halves of 16 bits; the round function mixes a half and a key as
 * MurmurHash3 finishes (Appleby, public domain).
 */
export function permute(value: number, key0: number, key1: number): number {
  let left = value >>> 16;
  let right = value & 0xffff;
  for (let round = 0; round < SHUFFLE_ROUNDS; round++) {
    const key = (round & 1) === 0 ? key0 : key1;
    const mixed = mix(right ^ Math.imul(round + 1, 0x9e3779b9) ^ key) & 0xffff;
    const next = left ^ mixed;
    left = right;
    right = next;
  }
  return ((left << 16) | right) >>> 0;
}

/** Makes all bits of the result depend on all bits of the word. */
function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
