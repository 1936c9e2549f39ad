import { columnFields, defineColumn, definePlugin, field } from 'data-designer';
import { z } from 'zod';

const rowNumbers = z.array(z.number().int()).default([]);

/** A column whose cells block their thread in some rows, and fill its memory in others; in all others they repeat a text. */
const poisoned = defineColumn({
  type: 'poisoned',
  schema: z.strictObject({
    ...columnFields('poisoned'),
    text: z.string(),
    blockedRows: rowNumbers,
    hungryRows: rowNumbers,
    blockedText: z.string().nullable().default(null),
  }),
  writes: ({ name }) => [field(name, 'utf8')],
  reads: ({ text }) => [{ name: text, field: ['text'] }],
  cell:
    ({ text, blockedRows, hungryRows, blockedText }) =>
    ({ row, rowIndex }) => {
      // Without end, and without the processor's time.
      if (blockedRows.includes(rowIndex) && (blockedText ?? row[text]) === row[text])
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      // In steps so large that the heap is full before many collections of garbage.
      for (const eaten: unknown[] = []; hungryRows.includes(rowIndex);)
        eaten.push(Array.from({ length: 1_000_000 }, () => eaten));
      return [row[text] ?? null];
    },
});

/** What `plugins` looks for. */
export const plugin = definePlugin({ columns: [poisoned] });
