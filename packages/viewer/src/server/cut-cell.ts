import type { Cell } from '../api/cells.ts';

/** How much of a cell is sent. */
export interface CutLimits {
  /** Characters of a text. */
  readonly characters: number;
  /** Items of a list, and members of a struct. */
  readonly items: number;
  /** Values of a nested cell in all. */
  readonly values: number;
}

/** The limits in a page of rows. */
export const IN_PAGE: CutLimits = { characters: 500, items: 20, values: 200 };
/** The limits in a record. */
export const IN_RECORD: CutLimits = { characters: 20_000, items: 200, values: 5000 };

/** A list of more numbers is a vector. */
const MAX_NUMBERS = 8;
/** The numbers shown of a vector. */
const SHOWN_NUMBERS = 3;
const MAX_DEPTH = 8;

/** A value within the limits; what JSON cannot hold, and everything that is cut, is marked. */
export function cutCell(value: unknown, limits: CutLimits): Cell {
  return new Cutter(limits).cut(value, 0);
}

/** A value, or the member of it that a path leads to. */
export function memberOf(value: unknown, path: readonly string[]): unknown {
  let member = value;
  for (const name of path) {
    if (typeof member !== 'object' || member === null) return null;
    member = (member as Readonly<Record<string, unknown>>)[name] ?? null;
  }
  return member;
}

/** The first characters of a text, whole characters only. */
export function cutText(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const last = text.charCodeAt(characters - 1);
  const isHalf = last >= 0xd800 && last < 0xdc00;
  return text.slice(0, isHalf ? characters - 1 : characters);
}

class Cutter {
  readonly #limits: CutLimits;
  #left: number;

  constructor(limits: CutLimits) {
    this.#limits = limits;
    this.#left = limits.values;
  }

  cut(value: unknown, depth: number): Cell {
    if (value === null || value === undefined) return null;
    if (typeof value === 'boolean') return value;
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'bigint') return { as: 'number', text: String(value) };
    if (typeof value === 'number') return numberCell(value);
    if (ArrayBuffer.isView(value)) return { as: 'binary', bytes: value.byteLength };
    if (depth >= MAX_DEPTH || this.#left <= 0) return { as: 'more' };
    return Array.isArray(value) ? this.#list(value, depth) : this.#struct(value, depth);
  }

  #text(text: string): Cell {
    const { characters } = this.#limits;
    return text.length <= characters ? text : { as: 'text', text: cutText(text, characters), length: text.length };
  }

  #list(list: readonly unknown[], depth: number): Cell {
    const { length } = list;
    if (length > MAX_NUMBERS && list.every((item) => typeof item === 'number')) {
      return { as: 'vector', first: list.slice(0, SHOWN_NUMBERS).filter(Number.isFinite), length };
    }
    const items: Cell[] = [];
    for (const item of list.slice(0, this.#limits.items)) {
      if (this.#left-- <= 0) break;
      items.push(this.cut(item, depth + 1));
    }
    return { as: 'list', items, length };
  }

  #struct(value: object, depth: number): Cell {
    const all = Object.entries(value);
    const members: [string, Cell][] = [];
    for (const [name, part] of all.slice(0, this.#limits.items)) {
      if (this.#left-- <= 0) break;
      members.push([cutText(name, this.#limits.characters), this.cut(part, depth + 1)]);
    }
    return { as: 'struct', members, length: all.length };
  }
}

function numberCell(value: number): Cell {
  if (Object.is(value, -0)) return { as: 'number', text: '-0' };
  return Number.isFinite(value) ? value : { as: 'number', text: String(value) };
}
