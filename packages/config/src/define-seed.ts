import { z } from 'zod';

/** The context of reading seed rows. */
export interface SeedContext {
  /** Aborted when the rows are no longer needed. */
  readonly signal: AbortSignal;
  /** The folder that relative paths start from. */
  readonly folder: string;
}

/** A type of seed source. */
export interface SeedType<Source, Schema = unknown> {
  /** Its `seed_type`. */
  readonly type: string;
  /** The zod schema of the source; begin it with `seedFields`. */
  readonly schema: Schema;
  /** The column names if the declaration gives them, so that unknown references are found without reading rows. */
  readonly columns?: (source: Source) => readonly string[];
  /** Returns the rows in order, plain mappings of column names to data. A run reads all of them when it begins. */
  readonly rows: (source: Source, context: SeedContext) => AsyncIterable<object> | Iterable<object>;
}

/** A seed type of any source. */
export type RegisteredSeed = SeedType<never, z.ZodObject>;

/** Returns the key that every seed source has. Spread it into the `z.strictObject` of a seed type. */
export function seedFields<const Type extends string>(type: Type, what: string) {
  return { seedType: z.literal(type).describe(what) };
}

/** Declares a seed type; its functions receive the parsed source, typed by the schema. */
export function defineSeed<Schema extends z.ZodObject>(
  seed: SeedType<z.output<Schema>, Schema>,
): SeedType<z.output<Schema>, Schema> {
  return seed;
}
