import { z } from 'zod';

/** The field that rounds what is drawn. */
export const decimalPlaces = z
  .int()
  .nullable()
  .default(null)
  .describe(
    'Digits after the point that values are rounded to, tens and hundreds where negative; not rounded where null.',
  );
