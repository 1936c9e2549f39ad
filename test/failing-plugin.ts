import { columnFields, defineColumn, definePlugin, defineSampler, field } from 'data-designer';
import { z } from 'zod';
import type { CellValue } from '@data-designer/core';

// Column types that go wrong as `how` says, as those of a plug-in that is being written do.

const how = { how: z.string().describe('What goes wrong.') };
const broken = (): never => {
  throw new Error('my mistake.');
};

/** What each way of going wrong gives for a row. */
const GIVEN: Readonly<Record<string, (row: number) => unknown>> = {
  throws: (row) => (row === 1 ? broken() : [row, row]),
  rejects: async (row) => (row === 1 ? broken() : [row, row]),
  fewer: (row) => (row === 1 ? [row] : [row, row]),
  text: (row) => (row === 1 ? 'ab' : [row, row]),
  misfit: (row) => (row === 1 ? [row, 'ab'] : [row, row]),
  undefined: (row) => (row === 1 ? [row, undefined] : [row, row]),
};

const writes = ({ name }: { readonly name: string }) => [field(name, 'int64'), field(`${name}_too`, 'int64')];

const one = defineColumn({
  type: 'one-by-one',
  schema: z.strictObject({ ...columnFields('one-by-one'), ...how }),
  writes: (config) => (config.how === 'writes' ? broken() : writes(config)),
  choices: (config) => (config.how === 'choices' ? broken() : 4),
  cell: (config) => (config.how === 'maker' ? broken() : ({ rowIndex }) => GIVEN[config.how]?.(rowIndex) as never),
});

const all = defineColumn({
  type: 'all-at-once',
  schema: z.strictObject({ ...columnFields('all-at-once'), ...how }),
  writes,
  group: (config) => async (rows) => {
    if (config.how === 'short') return [];
    return rows.map(({ rowIndex }) => GIVEN[config.how]?.(rowIndex) as never);
  },
});

const counted = (rows: number): CellValue[] => Array.from({ length: rows }, (_, row) => row);
const secondOf = (wrong: string, rows: number) => (wrong === 'misfit' ? counted(rows).with(1, 'ab') : [1]);

const filled = defineColumn({
  type: 'filled',
  schema: z.strictObject({ ...columnFields('filled'), ...how }),
  writes,
  fill: (config) => (range) =>
    config.how === 'throws' ? broken() : { written: [counted(range.rows), secondOf(config.how, range.rows)] },
});

/** A sampler that throws in half of its rows, or before the first. */
const loaded = defineSampler({
  type: 'loaded',
  schema: z.strictObject({ samplerType: z.literal('loaded').default('loaded'), ...how }),
  arrow: () => 'int64',
  converts: 'number',
  choices: (params) => (params.how === 'choices' ? broken() : 1),
  draw: (params) => (params.how === 'maker' ? broken() : (random) => (random.below(2) === 0 ? broken() : 1)),
});

/** What a sampler says that it draws, and half of its draws are not. */
const DRAWN: Readonly<Record<string, unknown>> = { text: 'ab', none: null, nan: NaN, fraction: 2.5 };

const strange = (type: string, converts: 'number' | 'time') =>
  defineSampler({
    type,
    schema: z.strictObject({ samplerType: z.literal(type).default(type), ...how }),
    arrow: () => 'int64',
    converts,
    draw: (params) => (random) => (random.below(2) === 0 ? (DRAWN[params.how] as never) : 1),
  });

export const plugin = definePlugin({
  columns: [one, all, filled],
  samplers: [loaded, strange('strange', 'number'), strange('strange_time', 'time')],
});
