import type { Applied } from '@data-designer/core';
import type { z } from 'zod';
import type { seedConfig } from '../schemas/seed-config.ts';
import type { SeedRows } from '../seed/seed-kinds.ts';
import type { DeclarationOf } from './column-set.ts';

/** Rows that a dataset starts from, as they are declared. */
export type SeedDeclaration = DeclarationOf<z.input<typeof seedConfig>>;

/** How seed rows are taken. */
export type SeedOptions = Omit<SeedDeclaration, 'source'>;

/** The rows of a declared source, as far as its kind types them. */
export type SeedRowOf<Source> = Source extends { readonly seedType: infer Type extends keyof SeedRows }
  ? Applied<SeedRows[Type], Source>
  : Record<string, unknown>;

/** A row with the columns of its seed row. */
export type WithSeed<Row, SeedRow> = Row & SeedRow;
