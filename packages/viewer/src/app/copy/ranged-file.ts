import type { AsyncBuffer } from 'hyparquet';

/** A file of at most this size may come whole, from a server that does not send parts of it. */
const MAX_WHOLE_BYTES = 100_000_000;
/** The parts that are kept in memory. */
const MAX_KEPT_BYTES = 64_000_000;
/** A smaller file is read at once. */
const SMALL_BYTES = 512_000;
/** Browsers refuse requests beyond about a thousand. */
const MAX_REQUESTS = 16;

/** A file of the web server of this page, read by ranges. Throws for a server without ranges if the file is large. */
export class RangedFile implements AsyncBuffer {
  readonly byteLength: number;
  readonly #url: string;
  /** By their range, the latest use last. */
  readonly #kept = new Map<string, { readonly part: Promise<ArrayBuffer>; readonly bytes: number }>();
  #keptBytes = 0;
  #whole: Promise<ArrayBuffer> | undefined;
  #requests = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(url: string, byteLength: number) {
    this.#url = url;
    this.byteLength = byteLength;
    if (byteLength <= SMALL_BYTES) this.#whole = this.#request(0, byteLength);
    // A reader learns of the failure with its first part.
    this.#whole?.catch(() => undefined);
  }

  async slice(start: number, end: number = this.byteLength): Promise<ArrayBuffer> {
    if (this.#whole) return (await this.#whole).slice(start, end);
    const range = `${start}-${end}`;
    const known = this.#kept.get(range);
    if (known) {
      this.#kept.delete(range);
      this.#kept.set(range, known);
      return known.part;
    }
    const part = this.#request(start, end);
    this.#keep(range, part, end - start);
    return part;
  }

  #keep(range: string, part: Promise<ArrayBuffer>, bytes: number): void {
    this.#kept.set(range, { part, bytes });
    this.#keptBytes += bytes;
    const forget = (key: string): void => {
      this.#keptBytes -= this.#kept.get(key)?.bytes ?? 0;
      this.#kept.delete(key);
    };
    part.catch(() => forget(range));
    for (const key of this.#kept.keys()) {
      if (this.#keptBytes <= MAX_KEPT_BYTES || key === range) break;
      forget(key);
    }
  }

  async #request(start: number, end: number): Promise<ArrayBuffer> {
    if (this.#requests >= MAX_REQUESTS) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    this.#requests++;
    try {
      return await this.#fetch(start, end);
    } finally {
      this.#requests--;
      this.#waiting.shift()?.();
    }
  }

  async #fetch(start: number, end: number): Promise<ArrayBuffer> {
    const response = await fetch(this.#url, { headers: { Range: `bytes=${start}-${end - 1}` } });
    if (response.status === 206) return exactly(await response.arrayBuffer(), end - start);
    if (response.status !== 200) {
      throw new Error(`The web server answers the request for ${this.#url} with the status ${response.status}.`);
    }
    if (this.byteLength > MAX_WHOLE_BYTES) {
      await response.body?.cancel();
      const megabytes = Math.round(this.byteLength / 1e6);
      throw new Error(
        `The web server of this copy sends whole files only, and the rows have ${megabytes} MB. ` +
          'Use a server that answers range requests (status 206), such as nginx, Caddy or a static Space.',
      );
    }
    const whole = response.arrayBuffer().then((bytes) => exactly(bytes, this.byteLength));
    this.#whole = whole;
    return (await whole).slice(start, end);
  }
}

function exactly(bytes: ArrayBuffer, length: number): ArrayBuffer {
  if (bytes.byteLength === length) return bytes;
  throw new Error('The files of this copy do not belong together: it was replaced. Reload the page.');
}
