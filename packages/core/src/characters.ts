const SURROGATE = /[\ud800-\udfff]/;

/** Counts the characters of a text as Python and DuckDB do: a surrogate pair is one. */
export function countCharacters(text: string): number {
  return SURROGATE.test(text) ? text.length - countPairs(text) : text.length;
}

function countPairs(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    pairs += 1;
    at += 1;
  }
  return pairs;
}

/** Orders texts by code points, as Python and DuckDB do; JavaScript's `<` orders by UTF-16 units. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x !== y) return surrogatesLast(x) - surrogatesLast(y);
  }
  return a.length - b.length;
}

function surrogatesLast(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
