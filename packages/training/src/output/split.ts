import { createHash } from 'node:crypto';
import { type Row, stringifyJson } from '@data-designer/core';
import { valueAt } from '../examples/read-messages.ts';

/** The parts of an export by name, with their shares. */
export type Split = Readonly<Record<string, number>>;

/** The sum of shares may differ from 1 by this much: 1/3 has no exact decimal form. */
const TOLERANCE = 0.001;

/** Bits of a hash that decide, and their range. */
const HASH_BYTES = 6;
const RANGE = 2 ** (8 * HASH_BYTES);

/** What is wrong with the parts of a split; undefined if nothing is. */
export function splitProblem(split: Split): string | undefined {
  const shares = Object.entries(split);
  const name = shares.map(([part]) => part).find((part) => !/^\w[\w.]*$/.test(part));
  if (name !== undefined) return `has a part '${name}'; a name has letters, digits, dots and underscores`;
  const twice = shares.find(([part], index) => shares.findIndex(([other]) => isSameFile(other, part)) < index);
  if (twice) return `has a part '${twice[0]}' that differs from another by case only, as its file would`;
  const bad = shares.find(([, share]) => !(share > 0 && share <= 1));
  if (bad) return `gives '${bad[0]}' the share ${bad[1]}; a share is greater than 0 and at most 1`;
  const sum = shares.reduce((total, [, share]) => total + share, 0);
  return Math.abs(sum - 1) > TOLERANCE
    ? `has shares that make ${Number(sum.toPrecision(6))}; they must make 1`
    : undefined;
}

/** Whether the files of two parts have one name where case does not count. */
function isSameFile(part: string, other: string): boolean {
  return part.toLowerCase() === other.toLowerCase();
}

/**
 * Returns the function that chooses the part of a row by the hash of its value of `by`, or of its position: rows with the
 * same value are in the same part, and further rows move none.
 */
export function partOf(split: Split, by: string | undefined): (values: Row, row: number) => string {
  const parts = Object.keys(split);
  const last = parts.at(-1) ?? '';
  let sum = 0;
  const bounds = parts.map((part) => (sum += split[part] ?? 0));
  return (values, row) => {
    const key = by === undefined ? `row ${row}` : stringifyJson(valueAt(values, by) ?? null);
    const hash = createHash('sha256').update(key).digest().readUIntBE(0, HASH_BYTES) / RANGE;
    const index = bounds.findIndex((bound) => hash < bound);
    return parts[index] ?? last;
  };
}
