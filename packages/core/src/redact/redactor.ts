import { tryParse } from '../json-fields.ts';
import { rangesOf, replaceIn } from './ranges.ts';
import { SHORTEST_PIECE } from './needles.ts';
import { LONGEST, SecretSearch, SEPARATOR } from './secret-search.ts';

/** Redacts secrets in a text, or in every text within plain data; any other value comes back as it is. */
export type Redact = <Value>(value: Value) => Value;

const SECRET = '[secret]';
/** In place of a text that cannot be searched in a bounded time. */
const WITHHELD = '[withheld: too long to be searched for secrets]';
/** How often what is left of a text is searched again. */
const MOST_ROUNDS = 3;

/**
 * Builds the redactor of a run from its resolved secrets. It finds a secret in any case, with spaces or signs between its
 * characters, reversed, escaped, and in base64, base32 or numbers, all of them nested; of a secret of 12 characters or more
 * also each piece of so many. A shorter one is found whole: in every form if it has 8 characters and mixes letters and
 * digits, else as it is written. Shorter words and numbers, and texts of fewer than 4 characters, are left alone.
 */
export function redactor(secrets: Iterable<string>): Redact {
  const search = new SecretSearch(secrets);
  if (search.isEmpty) return (value) => value;
  return <Value>(value: Value): Value => redactIn(value, search) as Value;
}

function redactIn(value: unknown, search: SecretSearch): unknown {
  if (typeof value === 'string') return redactTexts([value], search)[0];
  if (typeof value !== 'object' || value === null) return value;
  const [values, names] = [new Texts(), new Texts()];
  readTexts(value, values, names);
  // Names do not stand between values over which a secret may be split.
  const texts = [...values.different, ...names.different];
  const redacted = redactTexts(texts, search);
  if (redacted === texts) return value;
  const redactedValues = values.replaced(redacted.slice(0, values.different.length));
  const redactedNames = names.replaced(redacted.slice(values.different.length));
  return replaceTexts(value, (_, isName) => (isName ? redactedNames : redactedValues).next().value ?? '');
}

/** The texts of some data in their order. A long one that occurs again is searched once. */
class Texts {
  readonly different: string[] = [];
  readonly #numbers: number[] = [];
  readonly #long = new Map<string, number>();
  readonly #together = new Map<string, number>();

  add(text: string): void {
    const known = this.#long.get(text);
    this.#numbers.push(known ?? this.different.push(text) - 1);
    // A secret may be split over many short texts, so each of them counts.
    if (known === undefined && text.length >= SHORTEST_PIECE) this.#long.set(text, this.different.length - 1);
  }

  /** Adds the names of an object; those of further objects of the same form are searched once. */
  addTogether(texts: readonly string[]): void {
    const all = texts.join(SEPARATOR);
    const known = this.#together.get(all);
    if (known === undefined) {
      this.#together.set(all, this.#numbers.length);
      for (const text of texts) this.add(text);
    } else this.#numbers.push(...this.#numbers.slice(known, known + texts.length));
  }

  /** What stands in place of each text, where `redacted` replaces the different ones. */
  replaced(redacted: readonly string[]): Iterator<string, undefined> {
    return this.#numbers.map((number) => redacted[number] ?? '').values();
  }
}

/** Reads the texts of plain data in the order in which `replaceTexts` replaces them. */
function readTexts(value: unknown, values: Texts, names: Texts): void {
  if (typeof value === 'string') return values.add(value);
  if (Array.isArray(value)) {
    for (const item of value as unknown[])
      if (typeof item === 'number') values.add(String(item));
      else readTexts(item, values, names);
  } else if (isPlain(value)) {
    names.addTogether(Object.keys(value));
    for (const part of Object.values(value)) readTexts(part, values, names);
  }
}

type Replace = (text: string, isName: boolean) => string;

/** A copy of plain data with other texts: its strings, the names of its members, and the numbers in its lists. */
function replaceTexts(value: unknown, replace: Replace): unknown {
  if (typeof value === 'string') return replace(value, false);
  if (Array.isArray(value)) return value.map((item: unknown) => replaceItem(item, replace));
  if (!isPlain(value)) return value;
  const names = Object.keys(value).map((name) => replace(name, true));
  return Object.fromEntries(Object.values(value).map((part, index) => [names[index], replaceTexts(part, replace)]));
}

function replaceItem(item: unknown, replace: Replace): unknown {
  if (typeof item !== 'number') return replaceTexts(item, replace);
  const text = String(item);
  const replaced = replace(text, false);
  return replaced === text ? item : replaced;
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // `JSON.rawJSON` makes objects without a prototype that stand for numbers.
  return prototype === Object.prototype || (prototype === null && !('rawJSON' in value));
}

/** Searches the texts of a value together, as a secret may be split over them. Returns the same list if it finds none. */
function redactTexts(texts: readonly string[], search: SecretSearch): readonly string[] {
  if (search.isClean(texts)) return texts;
  let current = texts;
  for (let round = 0; ; round++) {
    const joined = current.join(SEPARATOR);
    const hits = joined.length > LONGEST ? undefined : search.find(joined);
    if (hits === undefined)
      return current.length === 1 ? [WITHHELD] : current.flatMap((text) => redactTexts([text], search));
    if (hits.length === 0) return current;
    const ranges = rangesOf(hits, joined);
    let from = 0;
    current = current.map((text) => {
      const replaced = replaceIn(text, ranges, { mark: SECRET, from });
      from += text.length + SEPARATOR.length;
      if (replaced === text) return text;
      return round < MOST_ROUNDS ? asParsed(text, replaced, search) : SECRET;
    });
    if (round >= MOST_ROUNDS) return current;
  }
}

/** JSON stays JSON: where a removed part goes across its texts, they are redacted one by one. */
function asParsed(text: string, replaced: string, search: SecretSearch): string {
  const isJson = /^\s*[[{]/.test(text) && tryParse<unknown>(replaced, JSON.parse) === undefined;
  const value = isJson ? tryParse<unknown>(text, JSON.parse) : undefined;
  return value === undefined ? replaced : JSON.stringify(redactIn(value, search));
}
