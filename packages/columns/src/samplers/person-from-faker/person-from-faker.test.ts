import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import type { Surroundings } from '@data-designer/core';
import { fakerLocales } from './faker-locales.ts';
import { personFromFaker } from './person-from-faker.ts';

const alone: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };

const read = (params: unknown) => personFromFaker.schema.safeParse(readForm(personFromFaker.schema, params));

test('reads every parameter', () => {
  const params = { locale: 'sv_SE', sex: 'Female', age_range: ['20', 40], city: ['Visby', 'Lund'] };
  expect(read(params).data).toEqual({
    samplerType: 'person_from_faker',
    locale: 'sv_SE',
    sex: 'Female',
    city: ['Visby', 'Lund'],
    ageRange: [20, 40],
  });
});

test('all parameters are optional', () => {
  expect(read({}).data).toMatchObject({ locale: 'en_US', sex: null, city: null, ageRange: [18, 114] });
});

test('knows 88 locales, each once', () => {
  expect(new Set(fakerLocales).size).toBe(88);
  expect(fakerLocales).toEqual(expect.arrayContaining(['de', 'en_US', 'tw_GH', 'zu_ZA']));
});

test.each([
  [{ locale: 'xx_XX' }, /no locale 'xx_XX'/],
  [{ locale: 'sv-SE' }, /did you mean 'sv_SE'/],
  [{ sex: 'female' }, /Male/],
  [{ age_range: [40, 20] }, /lowest age must be below/],
  [{ age_range: [20, 20] }, /lowest age must be below/],
  [{ age_range: [1, 2, 3] }, /two ages/],
  [{ age_range: [1] }, /two ages/],
  [{ age_range: [-1, 20] }, />=0/],
  [{ age_range: [18, 115] }, /<=114/],
  [{ age_range: null }, /null/],
  [{ city: 5 }, /city|Invalid input/],
])('refuses %j', (params, message) => {
  expect(
    read(params)
      .error?.issues.map((issue) => issue.message)
      .join(),
  ).toMatch(message);
});

function check(city: string | string[]) {
  return personFromFaker.check?.(personFromFaker.schema.parse({ city }), alone);
}

test('an empty list of cities loads, and the check reports it', () => {
  expect(check('Lund')).toEqual([]);
  expect(check([])).toMatchObject([{ stage: 'run', field: ['city'] }]);
});

test('a person is a struct with its fields in a fixed order', () => {
  const type = personFromFaker.arrow(personFromFaker.schema.parse({}));
  const fields = typeof type === 'object' && 'struct' in type ? type.struct : [];
  const names = fields.map(({ name }) => name).join(' ');
  expect(names).toBe(
    'uuid locale first_name last_name middle_name sex street_number street_name city state postcode age birth_date ' +
      'country marital_status education_level unit occupation phone_number bachelors_field',
  );
  expect(fields.filter(({ type: one }) => one !== 'utf8').map(({ name }) => name)).toEqual(['age']);
});
