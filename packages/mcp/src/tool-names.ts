import { hash } from 'node:crypto';

/** What model APIs take for the name of a function. */
const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;
const LONGEST = 64;
/** Enough of a hash to tell the tools of an alias apart. */
const HASH_DIGITS = 8;

/**
 * The names that models are told, by the names that providers use: the same wherever a model API takes it; else with
 * `_` for what it does not take, and with a hash of the whole name where that alone would not tell two tools apart.
 * The names given must be different ones; what becomes of each does not depend on their order.
 */
export function legalNames(names: readonly string[]): ReadonlyMap<string, string> {
  const wanted = new Map<string, number>();
  for (const name of names) wanted.set(plainName(name), (wanted.get(plainName(name)) ?? 0) + 1);
  const legal = new Set(names.filter((name) => LEGAL.test(name)));
  return new Map(names.map((name) => [name, legalName(name, { legal, wanted })]));
}

interface Taken {
  readonly legal: ReadonlySet<string>;
  /** How many names come to the same plain one. */
  readonly wanted: ReadonlyMap<string, number>;
}

function legalName(name: string, { legal, wanted }: Taken): string {
  if (legal.has(name)) return name;
  const plain = plainName(name);
  if (plain.length <= LONGEST && wanted.get(plain) === 1) return plain;
  const start = plain.slice(0, LONGEST - HASH_DIGITS - 1);
  for (let turn = 0; ; turn++) {
    const marked = `${start}_${hash('sha256', `${name}\0${turn}`).slice(0, HASH_DIGITS)}`;
    if (!legal.has(marked) && !wanted.has(marked)) return marked;
  }
}

function plainName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_');
}
