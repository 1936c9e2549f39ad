import type { AppliedType } from '@data-designer/core';
import type { CodeEnvironment, EnvironmentInput } from '@data-designer/environments';
import type { z } from 'zod';
import type { processor } from '../processors/processor-types.ts';
import type { constraint } from '../schemas/constraint.ts';
import type { modelConfig } from '../schemas/model-config.ts';
import type { profiler } from '../schemas/profiler.ts';
import type { seedConfig } from '../schemas/seed-config.ts';
import type { toolConfig } from '../schemas/tool-config.ts';
import type { attemptsConfig } from '../schemas/attempts-config.ts';
import type { selectConfig } from '../schemas/select-config.ts';
import type { SeedRows } from '../seed/seed-kinds.ts';
import type { DeclarationOf } from './column-set.ts';

/** Rows that a dataset starts from, as they are declared. */
export type SeedDeclaration = DeclarationOf<z.input<typeof seedConfig>>;

/** How seed rows are taken. */
export type SeedOptions = Omit<SeedDeclaration, 'source'>;

/** The rows of a declared source, as far as its kind types them. */
export type SeedRowOf<Source> = Source extends { readonly seedType: infer Type extends keyof SeedRows }
  ? AppliedType<SeedRows[Type], Source>
  : Record<string, unknown>;

/** A row with the columns of its seed row. */
export type WithSeed<Row, SeedRow> = Row & SeedRow;

/** A model under an alias, as it is declared. */
export type ModelDeclaration = DeclarationOf<z.input<typeof modelConfig>>;
/** Tools under an alias, as they are declared. */
export type ToolDeclaration = DeclarationOf<z.input<typeof toolConfig>>;
/** What the values of a sampler column keep to, as it is declared. */
export type ConstraintDeclaration = DeclarationOf<z.input<typeof constraint>>;
/** A step between rows and files, as it is declared. */
export type ProcessorDeclaration = DeclarationOf<z.input<typeof processor>>;
/** A summary of judgements, as it is declared. */
export type ProfilerDeclaration = DeclarationOf<z.input<typeof profiler>>;
/** A world that belongs to one row, as it is declared. */
export type EnvironmentDeclaration = DeclarationOf<EnvironmentInput> | CodeEnvironment;
/** Columns that are made several times for the same row, as they are declared. */
export type AttemptsDeclaration = DeclarationOf<z.input<typeof attemptsConfig>>;
/** Which rows a run accepts, as it is declared. */
export type SelectDeclaration = DeclarationOf<z.input<typeof selectConfig>>;
