import { z } from 'zod';
import { type Environment, environmentKinds } from '@data-designer/environments';

const [first, ...others] = environmentKinds.map(({ schema }) => schema);

/** A world that belongs to one row: its state, and the tools that change it. */
export const environmentConfig = z.discriminatedUnion('kind', [
  first as z.ZodObject,
  ...others,
]) as unknown as z.ZodType<Environment>;

export type { Environment };
