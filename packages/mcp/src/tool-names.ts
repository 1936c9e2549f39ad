import crypto from 'node:crypto';
import { LONGEST_TOOL_NAME, plainToolName, TOOL_NAME } from '@data-designer/core';

/** Enough of a hash to tell the tools of an alias apart. */
const HASH_DIGITS = 8;

/**
 * The names that models are told, by the names that providers use: the same wherever a model API takes it; else with
 * `_` for what it does not take, and with a hash of the whole name where that alone would not tell two tools apart.
 * The names given must be different ones; what becomes of each does not depend on their order.
 */
export function legalNames(names: readonly string[]): ReadonlyMap<string, string> {
  const wanted = new Map<string, number>();
  for (const name of names.map(plainToolName)) wanted.set(name, (wanted.get(name) ?? 0) + 1);
  const legal = new Set(names.filter((name) => TOOL_NAME.test(name)));
  return new Map(names.map((name) => [name, legalName(name, { legal, wanted })]));
}

interface Taken {
  readonly legal: ReadonlySet<string>;
  /** How many names come to the same plain one. */
  readonly wanted: ReadonlyMap<string, number>;
}

function legalName(name: string, { legal, wanted }: Taken): string {
  if (legal.has(name)) return name;
  const plain = plainToolName(name);
  if (plain.length <= LONGEST_TOOL_NAME && wanted.get(plain) === 1) return plain;
  const start = plain.slice(0, LONGEST_TOOL_NAME - HASH_DIGITS - 1);
  for (let turn = 0; ; turn++) {
    const marked = `${start}_${crypto.hash('sha256', `${name}\0${turn}`).slice(0, HASH_DIGITS)}`;
    if (!legal.has(marked) && !wanted.has(marked)) return marked;
  }
}
