import type { Random } from '@data-designer/core';

/** What a mutation draws from. */
export interface Draw<Whole> {
  readonly random: Random;
  /** Another text or tree, to take parts of. */
  readonly other: Whole;
}

/** One way to spoil a text or a tree. */
export interface Mutation<Whole> {
  readonly name: string;
  readonly apply: (whole: Whole, draw: Draw<Whole>) => Whole;
}

/** One of several things. */
export function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[random.below(items.length)] as Item;
}
