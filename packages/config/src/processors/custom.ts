import { z } from 'zod';
import type { ProcessorStage, UserFunction } from '@data-designer/core';
import { defineProcessor, processorFields } from '../define-processor.ts';
import type { Process } from './custom-processor.ts';

const STAGES = ['pre_batch', 'post_batch', 'after_generation'] as const satisfies readonly ProcessorStage[];

/** Rows given to a function of the calling program, and taken back from it. */
export const custom = defineProcessor({
  type: 'custom',
  schema: z.strictObject({
    ...processorFields('custom', 'Gives the rows to a function of the calling program.'),
    stage: z
      .enum(STAGES)
      .default('post_batch')
      .describe('When: before rows open, before a row group is written, or once at the end.'),
    process: z
      .custom<UserFunction>((value) => typeof value === 'function', {
        error: 'it must be a function of the calling program: a file cannot name one',
      })
      .describe('The function: it is given rows and gives rows of the same columns.'),
  }),
  stage: ({ stage }) => stage,
  process: ({ process }) => process as Process<object>,
});
