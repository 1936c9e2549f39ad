import type { RegisteredColumn } from '@data-designer/config';
import { conversation } from './conversation/conversation.ts';
import { custom } from './custom/custom.ts';
import { embedding } from './embedding/embedding.ts';
import { expression } from './expression/expression.ts';
import { image } from './image/image.ts';
import { llmCode } from './llm-code/llm-code.ts';
import { llmJudge } from './llm-judge/llm-judge.ts';
import { llmStructured } from './llm-structured/llm-structured.ts';
import { llmText } from './llm-text/llm-text.ts';
import { sampler } from './sampler/sampler.ts';
import { seedDataset } from './seed-dataset/seed-dataset.ts';
import { toolCalls } from './tool-calls/tool-calls.ts';
import { validation } from './validation/validation.ts';

/** The built-in column types: one line each. */
export const columnTypes = [
  seedDataset,
  sampler,
  llmText,
  llmCode,
  llmStructured,
  llmJudge,
  conversation,
  embedding,
  image,
  toolCalls,
  validation,
  expression,
  custom,
] as const satisfies readonly RegisteredColumn[];

const BOUNDED: ReadonlySet<unknown> = new Set(
  columnTypes.filter((column: RegisteredColumn) => column.bounded).map(({ type }) => type),
);

/** Whether all of these are names of built-in column types that are `bounded`. */
export function areBoundedColumnTypes(types: readonly unknown[]): boolean {
  return types.every((type) => BOUNDED.has(type));
}
