import { samplers } from '../samplers.ts';
import { samplerColumn } from './sampler-column.ts';

/** Draws each cell from a distribution or a list, by the built-in sampler that it names. */
export const sampler = samplerColumn(samplers);
