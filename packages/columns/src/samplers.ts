import { category } from './samplers/category/category.ts';

/** The samplers that a `sampler` column may use: one line each. */
export const samplers = [category] as const;
