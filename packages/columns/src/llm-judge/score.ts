import { z } from 'zod';

const mapping = z.record(z.string(), z.string());
const pairs = z.array(z.tuple([z.union([z.string(), z.int()]), z.string()])).min(1);

/** One thing that a judge scores, and the options it has, each with what it stands for. */
export const score = z.strictObject({
  name: z.string().describe('Name of the score, unique within the column.'),
  description: z.string().describe('What is scored.'),
  options: z
    .union([mapping, pairs])
    .describe('What each possible score means; as [score, meaning] pairs scores may be integers and keep their order.'),
});

/** A declared score. */
export type Score = z.output<typeof score>;

/** What a judge may answer for a score: text, or integers where they were given as such. */
export type Option = string | number;

/** The options of a score with their meanings, in order. */
export function optionsOf({ options }: Score): readonly (readonly [Option, string])[] {
  return Array.isArray(options) ? options : Object.entries(options);
}
