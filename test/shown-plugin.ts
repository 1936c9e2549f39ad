import { columnFields, defineColumn, definePlugin, field } from 'data-designer';
import { z } from 'zod';

/** A column type of queries, which are shown as the code that they are. */
const query = defineColumn({
  type: 'query',
  schema: z.strictObject({ ...columnFields('query'), table: z.string() }),
  writes: ({ name }) => [field(name, 'utf8')],
  shownAs: () => ({ as: 'code', language: 'sql:ansi' }),
  cell:
    ({ table }) =>
    () => [`select * from ${table}`],
});

/** What `plugins` looks for. */
export const plugin = definePlugin({ columns: [query] });
