import { z } from 'zod';

const error = 'a probability lies between 0 and 1';

/** The schema of a probability: a number from 0 to 1. */
export const probability = z.number().min(0, { error }).max(1, { error });
