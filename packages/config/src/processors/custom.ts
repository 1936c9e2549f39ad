import type { ProcessorStage, UserFunction } from '@data-designer/core';
import { z } from 'zod';
import { checkOptions, oneOf, optionRule, type OptionRules } from '../check-options.ts';
import { defineProcessor, type Process, processorFields } from '../define-processor.ts';

const STAGES = ['pre_batch', 'post_batch', 'after_generation'] as const satisfies readonly ProcessorStage[];

/** Passes rows through a function of the calling program. */
export const custom = defineProcessor({
  type: 'custom',
  schema: z.strictObject({
    ...processorFields('custom', 'Passes the rows through a function of the TypeScript program.'),
    stage: z
      .enum(STAGES)
      .default('post_batch')
      .describe(
        'When the function runs: `pre_batch` before the cells of a row group are made, `post_batch` before a row group is written, `after_generation` once at the end.',
      ),
    process: z
      .custom<UserFunction>((value) => typeof value === 'function', {
        error: 'expected a function; only a TypeScript or JavaScript program can provide one',
      })
      .describe(
        'The function: it receives rows and returns rows with the same columns. A YAML or JSON file cannot name one.',
      ),
  }),
  stage: ({ stage }) => stage,
  process: ({ process }) => process as Process<object>,
});

const RULES: OptionRules<{ readonly name: unknown; readonly stage: unknown; readonly process: unknown }> = {
  name: { ...optionRule.text, required: true },
  stage: oneOf('a stage', STAGES),
  process: { ...optionRule.callback, required: true },
};

/** A declared processor. */
interface CustomProcessor<Name extends string> {
  /** The name of the processor. */
  readonly name: Name;
  /** The type of the processor. */
  readonly processorType: 'custom';
  /** When it runs. */
  readonly stage: ProcessorStage;
  /** The function that receives and returns rows. */
  readonly process: (...given: never) => unknown;
}

/**
 * A processor for `addProcessor` that passes rows through a function. At `pre_batch` it receives the seed and sampled columns
 * of a row group before its rows open; at `post_batch` the rows of a group before they are written; at `after_generation`
 * the finished dataset, batch by batch, which cannot be extended afterwards. Values are plain data. The number of rows must
 * not change, except after generation and in a preview. The result may depend on the rows only, because a resumed run calls
 * it again. A function made by `functionOfModule` runs in the workers.
 */
export function customProcessor<const Name extends string, Row = Record<string, unknown>>(options: {
  readonly name: Name;
  readonly stage?: ProcessorStage;
  readonly process: Process<Row>;
}): CustomProcessor<Name> {
  checkOptions<object>(options, RULES, 'customProcessor()');
  const { name, stage = 'post_batch', process } = options;
  return { name, processorType: 'custom', stage, process };
}
