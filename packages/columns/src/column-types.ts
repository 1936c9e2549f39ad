import type { RegisteredColumn } from '@data-designer/config';
import { expression } from './expression/expression.ts';
import { llmCode } from './llm-code/llm-code.ts';
import { llmJudge } from './llm-judge/llm-judge.ts';
import { llmStructured } from './llm-structured/llm-structured.ts';
import { llmText } from './llm-text/llm-text.ts';
import { sampler } from './sampler/sampler.ts';

/** The built-in column types: one line each. */
export const columnTypes = [
  sampler,
  expression,
  llmText,
  llmCode,
  llmStructured,
  llmJudge,
] as const satisfies readonly RegisteredColumn[];
