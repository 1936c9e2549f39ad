import crypto from 'node:crypto';
import { LONGEST_TOOL_NAME, plainToolName, TOOL_NAME } from '@data-designer/core';

/** Enough characters of a hash to distinguish the tools of an alias. */
const HASH_DIGITS = 8;

/** Some model APIs want a letter first, or `_` (source: an error of Gemini's API). */
const BAD_START = /^[0-9-]/;

function plainName(name: string): string {
  const plain = plainToolName(name);
  return BAD_START.test(plain) ? `tool_${plain}` : plain;
}

/**
 * The names in requests, by the names of providers: the same if model APIs accept it; else with `_` for other characters, and
 * with a hash of the whole name if two tools would share a name. The given names must differ; their order does not matter.
 */
export function legalNames(names: readonly string[]): ReadonlyMap<string, string> {
  const wanted = new Map<string, number>();
  for (const name of names.map(plainName)) wanted.set(name, (wanted.get(name) ?? 0) + 1);
  const legal = new Set(names.filter((name) => TOOL_NAME.test(name) && !BAD_START.test(name)));
  return new Map(names.map((name) => [name, legalName(name, { legal, wanted })]));
}

interface Taken {
  readonly legal: ReadonlySet<string>;
  /** Counts the names that share a plain name. */
  readonly wanted: ReadonlyMap<string, number>;
}

function legalName(name: string, { legal, wanted }: Taken): string {
  if (legal.has(name)) return name;
  const plain = plainName(name);
  if (plain.length <= LONGEST_TOOL_NAME && wanted.get(plain) === 1) return plain;
  const start = plain.slice(0, LONGEST_TOOL_NAME - HASH_DIGITS - 1);
  for (let turn = 0; ; turn++) {
    const marked = `${start}_${crypto.hash('sha256', `${name}\0${turn}`).slice(0, HASH_DIGITS)}`;
    if (!legal.has(marked) && !wanted.has(marked)) return marked;
  }
}
