import { z } from 'zod';
import { defineSampler } from '../../define-sampler.ts';

/** Draws identifiers that no other row has. */
export const uuid = defineSampler({
  type: 'uuid',
  schema: z.strictObject({
    samplerType: z.literal('uuid').default('uuid').describe('The sampler that reads these parameters.'),
    prefix: z.string().nullable().default(null).describe('Text in front of the identifier.'),
    shortForm: z.boolean().default(false).describe('Of the 32 hexadecimal digits only the first 8.'),
    uppercase: z.boolean().default(false).describe('The digits in upper case; the prefix stays as it is.'),
  }),
  arrow: () => 'utf8',
  converts: 'nothing',
});
