/** Makes all bits of the result depend on all bits of the word, as MurmurHash3 finishes (Appleby, public domain). */
export function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
