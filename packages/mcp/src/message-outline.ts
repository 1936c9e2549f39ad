/** Characters that are kept of a member: names and ids are short. */
const KEPT = 64;
/** The members that tell what a message is. */
const KNOWN: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method']);

/**
 * The id and the kind of a JSON-RPC message that cannot be parsed, because it is too large or no valid JSON. Reads the text in
 * pieces of any size and keeps almost nothing of it.
 */
export class MessageOutline {
  readonly #members = new Map<string, string>();
  #depth = 0;
  #isObject = false;
  #isInString = false;
  #isEscaped = false;
  #name = '';
  #isNamed = false;
  #text = '';
  #length = 0;
  #end: number | undefined;

  /** The id as it is written, a text without its quotes; undefined if no request has it. */
  get id(): string | undefined {
    return this.#members.get('id');
  }

  /** Whether the message answers a request, as far as it was read. */
  get isAnswer(): boolean {
    const isOurs = this.#members.get('jsonrpc') === '2.0';
    return isOurs && this.id !== undefined && !this.#members.has('method');
  }

  /** The number of characters up to the end of the first value, if it has ended. */
  get end(): number | undefined {
    return this.#end;
  }

  add(text: string): void {
    let at = 0;
    while (at < text.length && this.#end === undefined) {
      at = this.#isInString ? this.#string(text, at) : this.#plain(text, at);
    }
    this.#length += text.length;
  }

  /** Reads on in a string; gives the position behind what was read. */
  #string(text: string, from: number): number {
    if (this.#isEscaped) {
      this.#isEscaped = false;
      this.#keep(text.slice(from, from + 1));
      return from + 1;
    }
    const at = find(/["\\]/g, text, from);
    this.#keep(text.slice(from, Math.min(at, from + KEPT)));
    if (text[at] === '\\') this.#isEscaped = true;
    if (text[at] === '"') this.#isInString = false;
    return at + 1;
  }

  /** Reads on between strings. */
  #plain(text: string, from: number): number {
    const at = find(/["{}[\],:]/g, text, from);
    this.#keep(text.slice(from, Math.min(at, from + KEPT)).trim());
    const mark = text[at];
    if (mark === '"') this.#isInString = true;
    if (mark === '{' || mark === '[') this.#open(mark);
    if (mark === ':' && this.#depth === 1) this.#noteName();
    if (mark === ',' || mark === '}' || mark === ']') this.#close(mark, at);
    return at + 1;
  }

  #open(mark: string): void {
    if (this.#depth === 0) this.#isObject = mark === '{';
    this.#depth++;
    if (this.#depth === 1) this.#text = '';
  }

  #noteName(): void {
    if (this.#isNamed) return;
    this.#name = this.#text;
    this.#isNamed = true;
    this.#text = '';
  }

  /** The end of a member, or of a list or an object. */
  #close(mark: string, at: number): void {
    if (this.#depth === 0) return;
    const isMember = this.#depth === 1 && this.#isNamed && this.#isObject;
    if (isMember && KNOWN.has(this.#name)) this.#members.set(this.#name, this.#text);
    if (this.#depth === 1) {
      this.#isNamed = false;
      this.#text = '';
    }
    if (mark === ',') return;
    this.#depth--;
    if (this.#depth === 0) this.#end = this.#length + at + 1;
  }

  #keep(text: string): void {
    if (this.#depth === 1 && this.#text.length < KEPT) this.#text += text;
  }
}

/** The position of the next match; the end of the text without one. */
function find(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
