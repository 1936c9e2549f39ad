import { type ArrowType, field, type Finding, type ProcessorStage, type UserFunction } from '@data-designer/core';
import { z } from 'zod';
import { checkOptions, oneOf, optionRule, type OptionRules } from '../check-options.ts';
import { defineProcessor, type Process, fixedProcessorFields } from '../define-processor.ts';
import { dropListOf } from './drop-columns.ts';

const STAGES = ['pre_batch', 'post_batch', 'after_generation'] as const satisfies readonly ProcessorStage[];

/** The stored types of added columns; `json` is for any other value. */
const ADDED_TYPES = {
  str: 'utf8',
  int: 'int64',
  float: 'float64',
  bool: 'bool',
  json: 'utf8',
} as const satisfies Readonly<Record<string, ArrowType>>;

/** The type of a column that a processor adds. */
export type AddedType = keyof typeof ADDED_TYPES;

/** Passes rows through a function of the calling program. */
export const custom = defineProcessor({
  type: 'custom',
  schema: z.strictObject({
    ...fixedProcessorFields('custom', 'Passes the rows through a function of the TypeScript program.'),
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
        'The function: it receives rows and returns rows with the same columns, except for added and removed ones. A YAML or JSON file cannot name one.',
      ),
    addedColumns: z
      .record(z.string(), z.enum(Object.keys(ADDED_TYPES) as AddedType[]))
      .exactOptional()
      .describe(
        'The columns that the function adds at `pre_batch` or `post_batch`, with their types. Other columns can read columns added at `pre_batch`, as they read seed columns.',
      ),
    removedColumns: z
      .array(z.string())
      .exactOptional()
      .describe(
        'The columns that the function receives at `pre_batch` or `post_batch`, and that the dataset does not have. After `pre_batch` no other column can read them.',
      ),
  }),
  stage: ({ stage }) => stage,
  drops: ({ removedColumns = NONE }, column) => dropListOf(removedColumns)(column),
  adds: ({ addedColumns = {} }) =>
    Object.entries(addedColumns).map(([name, type]) => field(name, ADDED_TYPES[type], { json: type === 'json' })),
  check: ({ stage, addedColumns, removedColumns }) => [
    ...(addedColumns ? wrongStage('addedColumns', stage) : []),
    ...(removedColumns ? wrongStage('removedColumns', stage) : []),
  ],
  process: ({ process }) => process as Process<object>,
});

const NONE: readonly string[] = [];

function wrongStage(key: string, stage: ProcessorStage): Finding[] {
  if (stage !== 'after_generation') return [];
  const message = `a processor of the stage '${stage}' cannot have '${key}'.`;
  const remedy = `Remove '${key}', or use the stage 'pre_batch' or 'post_batch'.`;
  return [{ stage: 'run', level: 'ERROR', type: 'invalid_value', field: [key], message, remedy }];
}

const RULES: OptionRules<Record<'name' | 'stage' | 'process' | 'addedColumns' | 'removedColumns', unknown>> = {
  name: { ...optionRule.text, required: true },
  stage: oneOf('a stage', STAGES),
  addedColumns: optionRule.mapping,
  removedColumns: optionRule.list,
  process: { ...optionRule.callback, required: true },
};

/** A declared processor. */
interface CustomProcessor<Name extends string, Added, Removed> {
  /** The name of the processor. */
  readonly name: Name;
  /** The type of the processor. */
  readonly processorType: 'custom';
  /** When it runs. */
  readonly stage: ProcessorStage;
  /** The columns that it adds, with their types. */
  readonly addedColumns?: Added;
  /** The columns that it removes. */
  readonly removedColumns?: Removed;
  /** The function that receives and returns rows. */
  readonly process: (...given: never) => unknown;
}

/**
 * A processor for `addProcessor` that passes rows through a function. At `pre_batch` it receives the seed and sampled columns
 * of a row group before its rows open; at `post_batch` the rows of a group before they are written; at `after_generation`
 * the finished dataset, batch by batch, which cannot be extended afterwards. Values are plain data. Before and at
 * `post_batch` it may add and remove the columns that it declares. The number of rows must not change, except after generation and in a preview.
 * The result may depend on the rows only, because a resumed run calls it again. A function made by `functionOfModule` runs
 * in the workers.
 */
export function customProcessor<
  const Name extends string,
  Row = Record<string, unknown>,
  const Added extends Readonly<Record<string, AddedType>> = never,
  const Removed extends readonly string[] = readonly [],
>(options: {
  readonly name: Name;
  readonly stage?: ProcessorStage;
  /** The columns that the function adds, with their types. */
  readonly addedColumns?: Added;
  /** The columns that the dataset does not have; `*` in a name stands for any text. */
  readonly removedColumns?: Removed;
  readonly process: Process<Row, Removed extends readonly [] ? Row : object>;
}): CustomProcessor<Name, Added, Removed> {
  checkOptions<object>(options, RULES, 'customProcessor()');
  const { name, stage = 'post_batch', process, addedColumns, removedColumns } = options;
  return {
    name,
    processorType: 'custom',
    stage,
    process,
    ...(addedColumns && { addedColumns }),
    ...(removedColumns && { removedColumns }),
  };
}
