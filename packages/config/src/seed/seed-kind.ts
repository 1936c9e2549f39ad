import type { Finding, ValueType } from '@data-designer/core';
import { z } from 'zod';

/** What a seed source may read, and which secrets it may name. */
export interface SeedCheckOptions {
  /** The folder that relative paths start from. */
  readonly folder: string;
  /** Whether the config may read files of this machine; false for one that came from an address. */
  readonly localFiles: boolean;
  /** Whether the seed is the input of a workflow's stage: the workflow wrote the file, so every config may read it. */
  readonly isStageInput?: boolean | undefined;
  /** Names of environment variables that the user lets the config name as its token. */
  readonly secrets: readonly string[];
  /** Where tokens are looked up; that of this process unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** What config knows of one `seed_type`; `packages/seeds` has the reader of its rows. */
export interface SeedKind<Source, Schema = z.ZodObject, Row = unknown> {
  readonly schema: Schema;
  /** The TypeScript type of its rows, or a `TypeFunction` of the declared source; any record unless given. */
  readonly row?: ValueType<Row>;
  /** Whether it reads files of this machine, which a config from an address may not do. */
  readonly readsFiles?: boolean;
  /** The key whose value only the calling program holds: copied nowhere and left out of files. */
  readonly inMemory?: keyof Source & string;
  /** Keys that say where and with which secret rows are fetched: they do not change the rows, nor the fingerprint. */
  readonly transport?: readonly (keyof Source & string)[];
  /** The names of the columns; undefined if only the rows tell them. */
  readonly columns?: (source: Source) => readonly string[] | undefined;
  /** Faults beyond the schema that show without reading a row; `field` is a path within `seed_config`. */
  readonly check?: (source: Source, options: SeedCheckOptions) => readonly Finding[];
}

/** Declares what config knows of a `seed_type`; its functions receive the parsed source, typed by the schema. */
export function defineSeedKind<Schema extends z.ZodObject, Row = Record<string, unknown>>(
  kind: SeedKind<z.output<Schema>, Schema, Row>,
): SeedKind<z.output<Schema>, Schema, Row> {
  return kind;
}

/** The `seed_type` in the schema of a source. */
export function seedTypeOf(schema: z.ZodObject): string {
  const { seedType } = schema.shape;
  return seedType instanceof z.ZodLiteral ? String(seedType.value) : '';
}

/** A fault of a source that a run finds. */
export function sourceError(field: string, told: Pick<Finding, 'type' | 'message' | 'remedy'>): Finding {
  return { stage: 'run', level: 'ERROR', field: ['source', field], ...told };
}
