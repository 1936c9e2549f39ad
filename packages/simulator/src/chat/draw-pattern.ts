import type { Random } from '@data-designer/core';
import { pick } from '../draws.ts';

/** Draws one text of a part of a regular expression. */
type Draw = (random: Random) => string;

const MOST_TRIES = 20;
const MOST_REPEATS = 1_000;
/** How often `*` and `+` repeat beyond their minimum, at most. */
const FREE_REPEATS = 3;

const DIGITS = '0123456789';
const WORD = `${DIGITS}abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_`;
const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');
const CLASSES: ReadonlyMap<string, string> = new Map([
  ['d', DIGITS],
  ['D', without(DIGITS)],
  ['w', WORD],
  ['W', without(WORD)],
  ['s', ' '],
  ['S', without(' ')],
  ['t', '\t'],
  ['n', '\n'],
]);

/**
 * Draws a text that matches a regular expression and passes `fits`; undefined if none was found. Groups, branches,
 * classes and repeats are read; back references are not.
 */
export function drawPattern(pattern: string, random: Random, fits: (text: string) => boolean): string | undefined {
  try {
    const draw = new PatternReader(pattern).read();
    const expression = new RegExp(pattern, 'u');
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const text = draw(random);
      if (expression.test(text) && fits(text)) return text;
    }
  } catch {
    return undefined;
  }
  return undefined;
}

/** Reads a regular expression into a function that draws; throws what it does not know. */
class PatternReader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  read(): Draw {
    const branches = [this.#sequence()];
    while (this.#take('|')) branches.push(this.#sequence());
    return (random) => pick(branches, random)(random);
  }

  #sequence(): Draw {
    const parts: Draw[] = [];
    while (this.#at < this.#pattern.length && !this.#sees('|') && !this.#sees(')')) parts.push(this.#repeated());
    return (random) => parts.map((part) => part(random)).join('');
  }

  #repeated(): Draw {
    const one = this.#one();
    const [least, most] = this.#repeats();
    this.#take('?');
    return (random) => {
      const count = Math.min(least + random.below(most - least + 1), MOST_REPEATS);
      return Array.from({ length: count }, () => one(random)).join('');
    };
  }

  #repeats(): readonly [least: number, most: number] {
    if (this.#take('*')) return [0, FREE_REPEATS];
    if (this.#take('+')) return [1, 1 + FREE_REPEATS];
    if (this.#take('?')) return [0, 1];
    const [counted, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(this.#pattern.slice(this.#at)) ?? [];
    if (counted === undefined) return [1, 1];
    this.#at += counted.length;
    if (comma === '') return [Number(least), Number(least)];
    return [Number(least), most === '' ? Number(least) + FREE_REPEATS : Number(most)];
  }

  #one(): Draw {
    if (this.#take('^') || this.#take('$')) return () => '';
    if (this.#take('.')) return oneOf(PRINTABLE);
    if (this.#take('[')) return oneOf(this.#class());
    if (this.#take('(')) return this.#group();
    return this.#sees('\\') ? oneOf(this.#escaped()) : oneOf(this.#next());
  }

  /** A look-around adds nothing to the text; that it holds is checked on the whole. */
  #group(): Draw {
    const [start = '', looksAround] = /^\?(?:(<?[=!])|:|<\w+>)/.exec(this.#pattern.slice(this.#at)) ?? [];
    this.#at += start.length;
    const inner = this.read();
    if (!this.#take(')')) throw new SyntaxError('A group is not closed.');
    return looksAround === undefined ? inner : () => '';
  }

  #class(): string {
    const isNegated = this.#take('^');
    let members = '';
    while (!this.#take(']')) {
      const first = this.#sees('\\') ? this.#escaped() : this.#next();
      const isRange = first.length === 1 && this.#sees('-') && this.#pattern[this.#at + 1] !== ']';
      if (!isRange) members += first;
      else {
        this.#at++;
        members += range(first, this.#sees('\\') ? this.#escaped() : this.#next());
      }
    }
    return isNegated ? without(members) : members;
  }

  #escaped(): string {
    this.#at++;
    const letter = this.#next();
    const known = CLASSES.get(letter);
    if (known === undefined && /[A-Za-z0-9]/.test(letter)) throw new SyntaxError(`\\${letter} is not read.`);
    return known ?? letter;
  }

  #next(): string {
    const character = this.#pattern[this.#at++];
    if (character === undefined) throw new SyntaxError('The expression ends too soon.');
    return character;
  }

  #sees(character: string): boolean {
    return this.#pattern[this.#at] === character;
  }

  #take(character: string): boolean {
    const isThere = this.#sees(character);
    if (isThere) this.#at++;
    return isThere;
  }
}

function oneOf(characters: string): Draw {
  return (random) => characters.charAt(random.below(characters.length));
}

function range(first: string, last: string): string {
  const from = first.charCodeAt(0);
  const length = Math.max(0, last.charCodeAt(0) - from + 1);
  return Array.from({ length }, (_, index) => String.fromCharCode(from + index)).join('');
}

function without(members: string): string {
  return Array.from(PRINTABLE)
    .filter((character) => !members.includes(character))
    .join('');
}
