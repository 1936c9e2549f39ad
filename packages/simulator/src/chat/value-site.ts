import type { Random } from '@data-designer/core';
import type { Prompt } from './prompt.ts';
import type { Schema } from './resolve-schema.ts';

/** Where a value is drawn: its schema's document, what it is about, its name and how deep it lies. */
export interface ValueSite {
  readonly root: Schema;
  readonly prompt: Prompt;
  readonly random: Random;
  readonly name: string;
  /** What the tool whose argument this is says of itself. */
  readonly about?: string | undefined;
  readonly depth: number;
}
