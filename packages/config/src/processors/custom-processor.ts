import type { ProcessorStage } from '@data-designer/core';

/** What a processor's function is given beside the rows. */
export interface ProcessContext {
  /** Its name. */
  readonly processor: string;
  readonly stage: ProcessorStage;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

/** Rows in, rows out, of the same columns. */
export type Process<Row> = (rows: readonly Row[], context: ProcessContext) => readonly Row[] | Promise<readonly Row[]>;

/** A processor as a declaration holds it. */
interface CustomProcessor<Name extends string> {
  readonly name: Name;
  readonly processorType: 'custom';
  readonly stage: ProcessorStage;
  readonly process: (...given: never) => unknown;
}

/**
 * A processor for `addProcessor` that gives rows to a function. At `pre_batch` it is given the seed and sampled columns of a
 * row group before its rows open; at `post_batch` the rows of a group before they are written; at `after_generation`, once all
 * are written, batch after batch of the dataset, which cannot be extended then. Values are plain data. As many rows must come
 * back as were given, except after generation and in a preview. What it gives may depend on the rows alone, as a run that
 * goes on calls it again. A function made by `functionOfModule` runs in the workers.
 */
export function customProcessor<const Name extends string, Row = Record<string, unknown>>({
  name,
  stage = 'post_batch',
  process,
}: {
  readonly name: Name;
  readonly stage?: ProcessorStage;
  readonly process: Process<Row>;
}): CustomProcessor<Name> {
  return { name, processorType: 'custom', stage, process };
}
