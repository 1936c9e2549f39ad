import type { ArrowField, Finding } from '@data-designer/core';
import type { RowSource } from './tables/table-source.ts';

/** What is known of seed rows before a run. */
export interface SeedInspection {
  /** The columns with their types; undefined where they cannot be known before a run. */
  readonly columns: readonly ArrowField[] | undefined;
  /** How many rows there are (files, where files make rows); undefined where nothing needs to know. */
  readonly rows: number | undefined;
  /** What is wrong with the rows; `field` is a path within `seed_config`. */
  readonly findings: readonly Finding[];
  /** Where the rows can be had; undefined where they cannot. */
  readonly source?: RowSource | undefined;
}
