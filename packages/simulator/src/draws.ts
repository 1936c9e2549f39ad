import { Random } from '@data-designer/core';

/** What is drawn for a request; each has draws of its own, so that no draw shifts another. */
const STREAMS = { answer: 0, latency: 1, fault: 2, conversation: 3, reasoning: 4, picture: 5 } as const;

/** The randomness of one request or conversation: a pure function of the server's seed and a hash. */
export class Draws {
  readonly #random: Random;

  constructor(seed: number, high: number, low: number) {
    this.#random = new Random((high ^ Math.floor(seed / 0x100000000)) >>> 0, (low ^ seed) >>> 0);
  }

  /** The draws of the request whose body has this SHA-256, in hexadecimal. */
  static ofRequest(seed: number, sha256: string): Draws {
    return new Draws(seed, Number.parseInt(sha256.slice(0, 8), 16), Number.parseInt(sha256.slice(8, 16), 16));
  }

  /** The draws that all requests of one conversation share, by the text that opens it. */
  static ofConversation(seed: number, opening: string): Draws {
    return new Draws(seed, fold(opening), opening.length);
  }

  /** Moves to the first draw of a stream, or to a later one. */
  of(stream: keyof typeof STREAMS, draw = 0): Random {
    return this.#random.at(STREAMS[stream], draw);
  }
}

/** FNV-1a over the first and last 2,000 UTF-16 units of a text: enough to tell conversations apart. */
function fold(text: string): number {
  const part = text.length > 4_000 ? text.slice(0, 2_000) + text.slice(-2_000) : text;
  let hash = 0x811c9dc5;
  for (let index = 0; index < part.length; index++) hash = Math.imul(hash ^ part.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** One of several values, drawn evenly. */
export function pick<Value>(values: readonly Value[], random: Random): Value {
  return values[random.below(values.length)] as Value;
}
