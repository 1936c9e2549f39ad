import { z } from 'zod';
import { type ArrowType, field, valueType } from '@data-designer/core';
import { defineSampler, samplerFields } from '../../define-sampler.ts';
import { oneOf } from '../one-of.ts';
import { checkCity, personFilterFields } from '../person-params.ts';
import { drawMadeUpPerson } from './draw-made-up-person.ts';
import { fakerLocales } from './faker-locales.ts';

const PERSON = {
  struct: [
    field('uuid', 'utf8'),
    field('locale', 'utf8'),
    field('first_name', 'utf8'),
    field('last_name', 'utf8'),
    field('middle_name', 'utf8'),
    field('sex', 'utf8'),
    field('street_number', 'utf8'),
    field('street_name', 'utf8'),
    field('city', 'utf8'),
    field('state', 'utf8'),
    field('postcode', 'utf8'),
    field('age', 'int64'),
    field('birth_date', 'utf8'),
    field('country', 'utf8'),
    field('marital_status', 'utf8'),
    field('education_level', 'utf8'),
    field('unit', 'utf8'),
    field('occupation', 'utf8'),
    field('phone_number', 'utf8'),
    field('bachelors_field', 'utf8'),
  ],
} as const satisfies ArrowType;

/** Draws made-up people from lists of names and places. */
export const personFromFaker = defineSampler({
  type: 'person_from_faker',
  schema: z.strictObject({
    ...samplerFields('person_from_faker'),
    locale: oneOf(fakerLocales, 'locale').default('en_US').describe('Language and country of names and places.'),
    ...personFilterFields,
  }),
  value: valueType<Record<string, unknown>>(),
  example: { ageRange: [30, 40] },
  arrow: () => PERSON,
  converts: 'nothing',
  check: checkCity,
  draw: drawMadeUpPerson,
});
