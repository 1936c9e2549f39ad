import { existsSync, rmSync } from 'node:fs';
import { columnFields, defineColumn, definePlugin, field } from 'data-designer';
import { z } from 'zod';

/** A column that ends its thread once, as soon as the file `mark` is there. */
const exits = defineColumn({
  type: 'exits-once',
  schema: z.strictObject({ ...columnFields('exits-once'), after: z.string(), mark: z.string() }),
  reads: ({ after }) => [{ name: after, field: ['after'] }],
  writes: ({ name }) => [field(name, 'int64')],
  cell:
    ({ mark }) =>
    ({ rowIndex }) => {
      if (existsSync(mark)) {
        rmSync(mark);
        process.exit(1);
      }
      return [rowIndex];
    },
});

export const plugin = definePlugin({ columns: [exits] });
