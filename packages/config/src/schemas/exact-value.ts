import { z } from 'zod';
import { Float } from '@data-designer/core';
import { anyFloat } from '../read-form.ts';

/** Numbers that keep their written type: integers of any size, and floats, integral ones included. */
export const exactNumbers = [
  z.int(),
  anyFloat(),
  z.bigint().meta({ type: 'integer' }),
  z.custom<Float>((input) => input instanceof Float, { error: 'expected a number' }).meta({ type: 'number' }),
] as const;

/** A scalar cell value of its written type: text, a boolean or a number. */
export const scalarValue = z.union([z.string(), z.boolean(), ...exactNumbers]);
