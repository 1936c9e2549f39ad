/** Text at the end of another that is repeated. */
export interface Loop {
  readonly text: string;
  readonly times: number;
}

/** Characters that must recur before anything is compared. */
const TAIL = 12;
/** The longest repeated text. */
const LONGEST = 4_000;
/** Places at which the tail may recur within one repeated text. */
const MOST_PLACES = 40;

/** How often a text of at least so many characters must be repeated to be a loop: refrains and emphasis are none. */
const LIMITS = [
  { length: 30, times: 3 },
  { length: 8, times: 6 },
  { length: 1, times: 40 },
] as const;

/**
 * The loop in which a text ends, as models fall into until their token limit; undefined if there is none. The distance
 * between two occurrences of the last characters is the length of the repeated text.
 */
export function loopAtEnd(text: string): Loop | undefined {
  const end = text.trimEnd().length;
  const start = end - TAIL;
  if (start <= 0) return undefined;
  const tail = text.slice(start, end);
  let at = text.lastIndexOf(tail, start - 1);
  for (let place = 0; at >= 0 && place < MOST_PLACES; place++) {
    const length = start - at;
    if (length > LONGEST) return undefined;
    const loop = loopOf(text, { end, length });
    if (loop) return loop;
    at = at === 0 ? -1 : text.lastIndexOf(tail, at - 1);
  }
  return undefined;
}

function loopOf(text: string, { end, length }: { readonly end: number; readonly length: number }): Loop | undefined {
  let first = end - 1;
  while (first >= length && text[first] === text[first - length]) first--;
  // White space after the last repetition was removed.
  const times = Math.floor((end - first + length + 1) / length);
  const needed = LIMITS.find((limit) => length >= limit.length)?.times ?? 0;
  const repeated = text.slice(end - length, end);
  if (times < needed || !/\p{L}/u.test(repeated)) return undefined;
  return { text: repeated.trim(), times };
}
