import { columnFields, defineColumn, definePlugin, defineSampler, field, valueType } from 'data-designer';
import { z } from 'zod';

/** A column type of one's own: another column's text, read backwards so many times. */
const backwards = defineColumn({
  type: 'backwards',
  schema: z.strictObject({
    ...columnFields('backwards'),
    of: z.string().describe('The column whose text is read.'),
    times: z.int().min(1).default(1).describe('How often it is turned round.'),
  }),
  reads: ({ of }) => [{ name: of, field: ['of'] }],
  writes: ({ name }) => [field(name, 'utf8')],
  cell: ({ of, times }) => {
    const turn = (text: string) => (times % 2 === 0 ? text : Array.from(text).toReversed().join(''));
    return ({ row }) => [turn(row[of] as string)];
  },
});

/** A sampler of one's own: how many points so many dice show. */
const dice = defineSampler({
  type: 'dice',
  schema: z.strictObject({ samplerType: z.literal('dice').default('dice'), count: z.int().min(1).default(1) }),
  value: valueType<number>(),
  statistics: 'numerical',
  example: { count: 2 },
  arrow: () => 'int64',
  converts: 'number',
  draw:
    ({ count }) =>
    (random) =>
      Array.from({ length: count }, () => 1 + random.below(6)).reduce((sum, points) => sum + points),
});

/** What `plugins` and `--plugins` look for. */
export const plugin = definePlugin({ columns: [backwards], samplers: [dice] });
