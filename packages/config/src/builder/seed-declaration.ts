import type { z } from 'zod';
import type { seedConfig } from '../schemas/seed-config.ts';
import type { ArrowTableLike } from '../seed/memory-rows.ts';
import type { DeclarationOf } from './column-set.ts';

/** Rows that a dataset starts from, as they are declared. */
export type SeedDeclaration = DeclarationOf<z.input<typeof seedConfig>>;

/** How seed rows are taken. */
export type SeedOptions = Omit<SeedDeclaration, 'source'>;

interface SourceFile {
  source_kind: string;
  source_path: string;
  relative_path: string;
  file_name: string;
}

/** What is known of a source's rows: those in memory have a type unless Arrow has them, and so have listed files. */
export type SeedRowOf<Source> = Source extends { readonly seedType: 'df'; readonly rows: infer Rows }
  ? MemoryRowOf<Rows>
  : Source extends { readonly seedType: 'directory' }
    ? SourceFile
    : Source extends { readonly seedType: 'file_contents' }
      ? SourceFile & { content: string }
      : Record<string, unknown>;

type MemoryRowOf<Rows> = Rows extends ArrowTableLike
  ? Record<string, unknown>
  : Rows extends Iterable<infer SeedRow> | AsyncIterable<infer SeedRow>
    ? Writable<SeedRow>
    : Record<string, unknown>;

/** Rows given as literals, as plain records of their kinds of values. */
type Writable<SeedRow> = { -readonly [Key in keyof SeedRow]: Widened<SeedRow[Key]> };
type Widened<Value> = Value extends string
  ? string
  : Value extends number
    ? number
    : Value extends boolean
      ? boolean
      : Value;

/** A row with the columns of its seed row. */
export type WithSeed<Row, SeedRow> = Row & SeedRow;
