import { category } from './samplers/category/category.ts';
import { subcategory } from './samplers/subcategory/subcategory.ts';

/** The samplers that a `sampler` column may use: one line each. */
export const samplers = [category, subcategory] as const;
