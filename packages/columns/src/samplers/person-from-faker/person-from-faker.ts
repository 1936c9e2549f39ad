import { z } from 'zod';
import { type ArrowType, field, valueType } from '@data-designer/core';
import { defineSampler, samplerFields } from '../../define-sampler.ts';
import { oneOf } from '../one-of.ts';
import { checkCity, personFilterFields } from '../person-params.ts';
import { drawMadeUpPerson, type MadeUpPerson } from './draw-made-up-person.ts';
import { fakerLocales } from './faker-locales.ts';

const FIELDS =
  'uuid locale first_name last_name middle_name sex street_number street_name city state postcode ' +
  'age birth_date country marital_status education_level unit occupation phone_number bachelors_field';

const PERSON: ArrowType = {
  struct: FIELDS.split(' ').map((name) => field(name, name === 'age' ? 'int64' : 'utf8')),
};

/** Draws made-up people from lists of names and places. */
export const personFromFaker = defineSampler({
  type: 'person_from_faker',
  schema: z
    .strictObject({
      ...samplerFields('person_from_faker'),
      locale: oneOf(fakerLocales, 'locale').default('en_US').describe('Language and country of the names and places.'),
      ...personFilterFields,
    })
    .describe(
      'Makes a person up from lists of names and places. The value is an object with fields such as `first_name` and `city`; ages refer to 2026-01-01.',
    ),
  value: valueType<MadeUpPerson>(),
  example: { ageRange: [30, 40] },
  arrow: () => PERSON,
  converts: 'nothing',
  check: checkCity,
  draw: drawMadeUpPerson,
});
