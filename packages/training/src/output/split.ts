import { createHash } from 'node:crypto';
import { type Row, stringifyJson } from '@data-designer/core';
import { valueAt } from '../examples/read-messages.ts';
import type { MessageLists } from '../express.ts';
import type { ExampleKind, Examples } from '../training-format.ts';
import { PromptParts } from './prompt-parts.ts';

/** The parts of an export by name, with their shares. */
export type Split = Readonly<Record<string, number>>;

/** The parts of an export by name, with their shares and the examples that they get. */
export type SplitParts = Readonly<Record<string, { readonly share: number; readonly examples: number }>>;

const PERCENTS = 100;

/** The sum of shares may differ from 1 by this much: 1/3 has no exact decimal form. */
const TOLERANCE = 0.001;

/** The range of a hash, which is a whole number of 53 bits. */
const RANGE = 2 ** 53;

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

/** Chooses the part of each row by a hash, so that further rows move none, and counts the prompts of the parts. */
export class Splitter {
  readonly #parts: readonly string[];
  readonly #bounds: readonly number[];
  readonly #by: string | undefined;
  readonly #prompts = new PromptParts();
  /** The examples of the rows whose hash is in each hundredth of the range. */
  readonly #examples = new Uint32Array(PERCENTS);
  /** The hundredth of the last row. */
  #percent = 0;

  /** Rows with the same value of `by` are in the same part, and without it those whose first examples have equal prompts. */
  constructor(split: Split, by: string | undefined) {
    let sum = 0;
    this.#parts = Object.keys(split);
    this.#bounds = this.#parts.map((part) => (sum += split[part] ?? 0));
    this.#by = by;
  }

  /** The part of a row with the prompts of its examples, undefined for an example that is missing. */
  partOf(values: Row, prompts: readonly (number | undefined)[]): string {
    const first = prompts.find((prompt) => prompt !== undefined) ?? 0;
    const hash = this.#by === undefined ? first : hashOf(stringifyJson(valueAt(values, this.#by) ?? null));
    const place = hash / RANGE;
    this.#percent = Math.floor(place * PERCENTS);
    const index = this.#bounds.findIndex((bound) => place < bound);
    return this.#parts.at(index) ?? '';
  }

  /** Notes that an example of the last row, with a prompt, is in a part. */
  note(prompt: number | undefined, part: string | undefined): void {
    this.#examples[this.#percent] = (this.#examples[this.#percent] ?? 0) + 1;
    if (prompt !== undefined && part !== undefined) this.#prompts.note(prompt, this.#parts.indexOf(part));
  }

  /** The different prompts, and those of them that are in more than one part. */
  get counts(): { readonly prompts: number; readonly sharedPrompts: number; readonly nearestSplit?: SplitParts } {
    const nearestSplit = this.#nearestSplit();
    return {
      prompts: this.#prompts.size,
      sharedPrompts: this.#prompts.shared,
      ...(nearestSplit && { nearestSplit }),
    };
  }

  /** The shares of two parts, in whole percents, that leave neither empty and come nearest to the given ones. */
  #nearestSplit(): SplitParts | undefined {
    const [first, second, ...others] = this.#parts;
    if (first === undefined || second === undefined || others.length > 0) return undefined;
    const all = this.#examples.reduce((sum, examples) => sum + examples, 0);
    const wanted = this.#bounds[0] ?? 0;
    const awayFrom = ({ percents, made }: { percents: number; made: number }) =>
      [Math.abs(made / all - wanted), Math.abs(percents / PERCENTS - wanted)] as const;
    let nearest: { percents: number; made: number } | undefined;
    for (let percents = 1, made = 0; percents < PERCENTS; percents++) {
      made += this.#examples[percents - 1] ?? 0;
      if (made === 0 || made === all) continue;
      const [off, away] = awayFrom({ percents, made });
      const [least, closest] = nearest ? awayFrom(nearest) : [Infinity, Infinity];
      if (off < least || (off === least && away < closest)) nearest = { percents, made };
    }
    if (!nearest) return undefined;
    const { percents, made } = nearest;
    return {
      [first]: { share: percents / PERCENTS, examples: made },
      [second]: { share: (PERCENTS - percents) / PERCENTS, examples: all - made },
    };
  }
}

/** A hash of what a model reads before its first answer to the user. */
export function promptHash(example: Examples[ExampleKind]): number {
  const { messages = [], prompt } = example as MessageLists;
  const asked = messages.findIndex(({ role }) => role === 'user');
  const answer = messages.findIndex(({ role }, index) => role === 'assistant' && index > asked);
  const read = prompt ?? messages.slice(0, answer);
  return hashOf(stringifyJson(read.map(({ role, content }) => [role, content])));
}

/** The first 53 bits of the SHA-256 of a text, as a whole number. */
function hashOf(text: string): number {
  const digest = createHash('sha256').update(text).digest();
  return digest.readUIntBE(0, 6) * 32 + (digest.readUInt8(6) >> 3);
}
