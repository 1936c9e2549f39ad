import type { z } from 'zod';
import type { constraint } from '../schemas/constraint.ts';
import type { modelConfig } from '../schemas/model-config.ts';
import type { processor } from '../schemas/processor.ts';
import type { profiler } from '../schemas/profiler.ts';
import type { toolConfig } from '../schemas/tool-config.ts';
import type { DeclarationOf } from './column-set.ts';

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
