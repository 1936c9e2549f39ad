import { defineProcessor, definePlugin, defineSeed, field, processorFields, seedFields } from 'data-designer';
import { z } from 'zod';

const columns = z.array(z.string()).min(1).describe('The columns, by their names.');
const STAGES = ['pre_batch', 'post_batch', 'after_generation'] as const;

/** Rows of their own kind: text in capitals, at whatever stage. */
const capitals = defineProcessor({
  type: 'capitals',
  schema: z.strictObject({
    ...processorFields('capitals', 'Writes columns in capitals.'),
    columns,
    stage: z.enum(STAGES).default('post_batch').describe('When.'),
  }),
  stage: ({ stage }) => stage,
  process: (config) => (rows) =>
    rows.map((row) => ({
      ...row,
      ...Object.fromEntries(config.columns.map((name) => [name, String(row[name]).toUpperCase()])),
    })),
  check: (config, dataset) =>
    config.columns.flatMap((name, index) =>
      dataset.has(name)
        ? []
        : {
            field: ['columns', index],
            stage: 'validate',
            type: 'invalid_column',
            level: 'ERROR',
            message: `there is no column '${name}'.`,
            remedy: 'Correct the name.',
          },
    ),
});

/** A table beside the main one: how long texts are. */
const lengths = defineProcessor({
  type: 'lengths',
  schema: z.strictObject({
    ...processorFields('lengths', 'Writes how long texts are to a table of its own.'),
    columns,
  }),
  stage: 'post_batch',
  sideTable: {
    fields: (config) => config.columns.map((name) => field(name, 'int64')),
    reads: (config) => config.columns,
    row: (config) => (row) => Object.fromEntries(config.columns.map((name) => [name, (row[name] as string).length])),
  },
});

/** Columns that are left out: those whose names begin so. */
const dropPrefix = defineProcessor({
  type: 'drop_prefix',
  schema: z.strictObject({
    ...processorFields('drop_prefix', 'Leaves out the columns whose names begin so.'),
    prefix: z.string().min(1).describe('How they begin.'),
  }),
  stage: 'post_batch',
  drops: ({ prefix }, column) => column.startsWith(prefix),
});

/** Other columns: what a config lists in `columns_added` has the texts of what it lists in `columns_removed`. */
const gather = defineProcessor({
  type: 'gather',
  schema: z.strictObject({
    ...processorFields('gather', 'Gathers the columns that it removes in one that it adds.'),
    stage: z.enum(['pre_batch', 'post_batch']).default('post_batch').describe('When.'),
  }),
  stage: ({ stage }) => stage,
  process:
    ({ columnsAdded: [added = ''] = [], columnsRemoved: removed = [] }) =>
    (rows) =>
      rows.map((row) => {
        const kept = Object.entries(row).filter(([name]) => !removed.includes(name));
        return { ...Object.fromEntries(kept), [added]: removed.map((name) => row[name]) };
      }),
});

/** Rows to start from: the first so many squares. */
const squares = defineSeed({
  type: 'squares',
  schema: z.strictObject({
    ...seedFields('squares', 'The squares of the first numbers.'),
    count: z.int().min(1).describe('How many.'),
  }),
  columns: () => ['root', 'square'],
  async *rows({ count }) {
    for (let root = 1; root <= count; root++) yield { root, square: root * root };
  },
});

/** What `plugins` and `--plugins` look for. */
export const plugin = definePlugin({ processors: [capitals, lengths, dropPrefix, gather], seeds: [squares] });
