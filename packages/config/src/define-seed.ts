import { z } from 'zod';

/** What the rows of a seed are read with. */
export interface SeedContext {
  /** Aborted when nobody waits for the rows any more. */
  readonly signal: AbortSignal;
  /** The folder that relative paths start from. */
  readonly folder: string;
}

/** A type of seed source. */
export interface SeedType<Source, Schema = unknown> {
  /** Its `seed_type`. */
  readonly type: string;
  readonly schema: Schema;
  /** The names of the columns, where the declaration tells them: names that lead nowhere are then found without reading. */
  readonly columns?: (source: Source) => readonly string[];
  /** Gives the rows, plain mappings of column names to data, in their order. Read to the end when a run begins. */
  readonly rows: (source: Source, context: SeedContext) => AsyncIterable<object> | Iterable<object>;
}

/** A seed type seen from outside, where its own source is not known. */
export type RegisteredSeed = SeedType<never, z.ZodObject>;

/** The field that every seed source has; spread into a source's own `z.strictObject`. */
export function seedFields<const Type extends string>(type: Type, what: string) {
  return { seedType: z.literal(type).describe(what) };
}

/** Declares a seed type; its functions receive the parsed source, typed by the schema. */
export function defineSeed<Schema extends z.ZodObject>(
  seed: SeedType<z.output<Schema>, Schema>,
): SeedType<z.output<Schema>, Schema> {
  return seed;
}
