import { z } from 'zod';
import { Float } from '@data-designer/core';
import { anyFloat } from '../read-form.ts';

/** Numbers that stay what they were written as: integers of any size, and floats, integral ones too. */
export const exactNumbers = [
  z.int(),
  anyFloat(),
  z.bigint().meta({ type: 'integer' }),
  z.custom<Float>((input) => input instanceof Float, { error: 'expected a number' }).meta({ type: 'number' }),
] as const;

/** A value that a cell may be given: text, a truth or a number, each as it was written. */
export const scalarValue = z.union([z.string(), z.boolean(), ...exactNumbers]);
