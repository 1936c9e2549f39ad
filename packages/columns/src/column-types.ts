import type { RegisteredColumn } from '@data-designer/config';
import { llmText } from './llm-text/llm-text.ts';
import { sampler } from './sampler/sampler.ts';

/** The built-in column types: one line each. */
export const columnTypes: readonly RegisteredColumn[] = [sampler, llmText];
