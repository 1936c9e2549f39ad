import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import type { Surroundings } from '@data-designer/core';
import { person, personRequest } from './person.ts';

const alone: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };

const read = (params: unknown) => person.schema.safeParse(readForm(person.schema, params));

const ANYBODY: Parameters<typeof personRequest>[0] = {
  locale: 'en_US',
  sex: null,
  city: null,
  ageRange: [18, 114],
  selectFieldValues: null,
  withSyntheticPersonas: false,
};

test('all parameters are optional', () => {
  expect(read({}).data).toEqual({ samplerType: 'person', ...ANYBODY });
});

test('stores JSON, because the fields depend on the collection', () => {
  expect([person.arrow(person.schema.parse({})), person.json]).toEqual(['utf8', true]);
});

test.each([['sv_SE'], ['en_us'], ['xx']])('refuses the locale %s, without a collection', (locale) => {
  expect(read({ locale }).error?.issues).toMatchObject([{ path: ['locale'] }]);
});

test('names the nearest locale', () => {
  expect(read({ locale: 'pt_br' }).error?.issues[0]?.message).toBe("there is no locale 'pt_br'; did you mean 'pt_BR'?");
});

function check(selectFieldValues: Record<string, string[]>) {
  return person.check?.(person.schema.parse({ selectFieldValues }), alone);
}

test('accepts filters on personal and persona fields, and reports unknown ones', () => {
  expect(check({ state: ['OR', 'AK'], zone: ['w'], openness: ['high'] })).toEqual([]);
  const field = ['selectFieldValues', 'shoe_size'];
  expect(check({ shoe_size: ['9'] })).toMatchObject([
    { stage: 'run', field, message: "there is no person field 'shoe_size'." },
  ]);
  expect(check({ education: ['x'] })).toMatchObject([{ field: ['selectFieldValues', 'education'] }]);
  expect(check({ state: [] })).toMatchObject([{ field: ['selectFieldValues', 'state'] }]);
});

test.each([[{ select_field_values: { state: 'OR' } }], [{ select_field_values: { age: [5] } }], [{ seed: 1 }]])(
  'refuses %j',
  (params) => {
    expect(read(params).success).toBe(false);
  },
);

test('the default request filters by age only', () => {
  expect(personRequest(ANYBODY)).toMatchObject({
    collection: 'en_US',
    filters: [{ column: 'age', from: 18, to: 114 }],
    needs: ['first_name', 'last_name', 'age'],
  });
});

test('sex, cities and fields become filters, and a United States state filters by region', () => {
  const selectFieldValues = { state: ['OR', 'AK'], openness: ['high'] };
  expect(personRequest({ ...ANYBODY, sex: 'Female', city: 'Bend', selectFieldValues }).filters).toEqual([
    { column: 'sex', oneOf: ['Female'] },
    { column: 'city', oneOf: ['Bend'] },
    { column: 'age', from: 18, to: 114 },
    { column: 'region', oneOf: ['OR', 'AK'] },
    { column: 'openness', oneOf: ['high'] },
  ]);
});

test('other countries filter by state, and several cities are allowed', () => {
  const choice = {
    ...ANYBODY,
    locale: 'pt_BR' as const,
    city: ['Lund', 'Visby'],
    selectFieldValues: { state: ['SP'] },
  };
  expect(personRequest(choice)).toMatchObject({
    collection: 'pt_BR',
    filters: [{ column: 'city', oneOf: ['Lund', 'Visby'] }, {}, { column: 'state', oneOf: ['SP'] }],
  });
});

test('the request reads personas only if they are requested', () => {
  expect(personRequest(ANYBODY).columns).not.toContain('persona');
  const { columns } = personRequest({ ...ANYBODY, withSyntheticPersonas: true });
  expect(columns).toEqual(expect.arrayContaining(['first_name', 'region', 'persona', 'openness']));
});

test('finds people of a sex by the words of the collection', () => {
  const [bySex] = personRequest({ ...ANYBODY, locale: 'de_DE', sex: 'Female' }).filters;
  expect(bySex).toEqual({ column: 'sex', oneOf: ['Female', 'Weiblich'] });
  const selectFieldValues = { sex: ['Male'], nationality: ['Male'] };
  expect(personRequest({ ...ANYBODY, locale: 'de_DE', selectFieldValues }).filters.slice(1)).toEqual([
    { column: 'sex', oneOf: ['Male', 'Männlich'] },
    { column: 'nationality', oneOf: ['Male'] },
  ]);
});

test.each([
  'ethnicity',
  'country_of_birth',
  'disability',
  'migration_background',
  'kreis_code',
  'last_occupation_kldb',
])('reads the field %s of British and German people', (name) => {
  expect(check({ [name]: ['x'] })).toEqual([]);
  expect(read({ locale: 'en_GB' }).success).toBe(true);
  expect(personRequest({ ...ANYBODY, locale: 'en_GB' }).columns).toContain(name);
});
