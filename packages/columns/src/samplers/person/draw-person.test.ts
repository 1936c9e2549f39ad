import { expect, test } from 'vitest';
import { type CellValue, type ColumnData, Random, Float } from '@data-designer/core';
import { drawPerson, cellReader } from './draw-person.ts';

type Person = Readonly<Record<string, CellValue>>;

const AMERICANS: Readonly<Record<string, ColumnData>> = {
  uuid: ['u0', 'u1', 'u2'],
  first_name: ['Ada', 'Bo', 'Cy'],
  middle_name: ['Ann', null, null],
  last_name: ['Ångström', 'Lund', 'Moor'],
  sex: ['Female', 'Male', 'Male'],
  age: BigInt64Array.of(33n, 17n, 70n),
  postcode: ['97301', '97701', null],
  city: ['Salem', 'Bend', 'Tacoma'],
  district: ['Marion', null, 'Pierce'],
  region: ['OR', 'OR', 'WA'],
  country: ['USA', 'USA', 'USA'],
  occupation: ['baker', 'none', 'baker'],
  ethnic_background: ['a', 'b', 'c'],
  internal_weight: Float64Array.of(0.5, 0.5, 0.5),
  openness: [{ label: 'high' }, { label: 'low' }, { label: 'high' }],
  persona: ['likes tests', 'likes bread', 'likes rain'],
};

function people(columns: Readonly<Record<string, ColumnData>>, params = {}, seed = 1): Person[] {
  const random = Random.of(seed, 'someone');
  const draw = drawPerson({ locale: 'en_US', withSyntheticPersonas: false, ...params })(
    new Map(Object.entries(columns)),
  );
  return [0, 1, 2].map((position) => draw(random.at(position), position) as Person);
}

function only(...names: string[]): Record<string, ColumnData> {
  return Object.fromEntries(names.map((name) => [name, AMERICANS[name] as ColumnData]));
}

const keysOf = (person: Person | undefined) => Object.keys(person ?? {}).join(' ');

test('keys are the collection fields, the derived fields, the state, then the personas', () => {
  const known =
    'uuid first_name middle_name last_name sex age postcode city district country occupation locale ' +
    'ethnic_background birth_date phone_number email_address national_id state';
  expect(people(AMERICANS).map(keysOf)).toEqual([known, known, known]);
  expect(keysOf(people(AMERICANS, { withSyntheticPersonas: true })[0])).toBe(`${known} persona openness`);
});

test('a person has the unchanged values of a single row', () => {
  const [ada, bo, cy] = people(AMERICANS, { withSyntheticPersonas: true });
  expect(ada).toMatchObject({ uuid: 'u0', age: 33, locale: 'en_US', state: 'OR', openness: { label: 'high' } });
  expect(bo).toMatchObject({ first_name: 'Bo', middle_name: null, district: null, persona: 'likes bread' });
  expect(cy).toMatchObject({ age: 70, state: 'WA' });
});

test('children have no phone number or email address, and people without a postcode have no phone number', () => {
  const [ada, bo, cy] = people(AMERICANS);
  expect(ada?.['phone_number']).toMatch(/^\d{3}-555-01\d\d$/);
  expect(ada?.['email_address']).toMatch(/^[a-z0-9._]*angstrom|ada[a-z0-9._]*@[a-z]+\.com$/);
  expect([bo?.['phone_number'], bo?.['email_address']]).toEqual([null, null]);
  expect([cy?.['phone_number'], typeof cy?.['email_address']]).toEqual([null, 'string']);
});

test('the national ID belongs to the state, and is null without one', () => {
  expect(people(AMERICANS).map((person) => typeof person['national_id'])).toEqual(['string', 'string', 'string']);
  expect(people(AMERICANS)[0]?.['national_id']).toMatch(/^54[0-4]-\d\d-\d{4}$/);
  const localesWithoutState = people(only('first_name', 'last_name', 'age'))[0];
  expect(localesWithoutState?.['national_id']).toBeNull();
  expect(keysOf(localesWithoutState)).toBe(
    'first_name last_name age locale birth_date phone_number email_address national_id',
  );
});

test('people outside the United States keep their region and have no phone number or national ID', () => {
  const [someone] = people(AMERICANS, { locale: 'pt_BR' });
  expect(someone).toMatchObject({ locale: 'pt_BR', region: 'OR', phone_number: null, national_id: null });
  expect(someone).not.toHaveProperty('state');
  expect(typeof someone?.['email_address']).toBe('string');
});

test('the birth date fits the age', () => {
  expect(people(AMERICANS).map((person) => person['birth_date'])).toEqual([
    expect.stringMatching(/^199[23]-/),
    expect.stringMatching(/^200[89]-/),
    expect.stringMatching(/^195[56]-/),
  ]);
});

test('the same seed derives the same values, another seed different ones', () => {
  expect(people(AMERICANS, {}, 7)).toEqual(people(AMERICANS, {}, 7));
  expect(people(AMERICANS, {}, 7)).not.toEqual(people(AMERICANS, {}, 8));
});

test('a derived field replaces a collection column of the same name, in its position', () => {
  const [someone] = people({ ...AMERICANS, birth_date: ['1900-01-01', '1900-01-01', '1900-01-01'] });
  expect(someone?.['birth_date']).not.toBe('1900-01-01');
  expect(keysOf(someone)).toContain('locale birth_date ethnic_background');
});

const all = (data: ColumnData) => Array.from({ length: data.length }, (_, position) => cellReader(data)(position));

test('integers become numbers if they are exact', () => {
  expect(all(BigInt64Array.of(1n, -2n, 2n ** 60n))).toEqual([1, -2, 2n ** 60n]);
  expect(all(Int32Array.of(7))).toEqual([7]);
  expect(all([3n, 'text', null])).toEqual([3, 'text', null]);
});

test('floats without a fraction stay floats', () => {
  expect(all(Float64Array.of(1.5, 2))).toEqual([1.5, new Float(2)]);
});

test('the sex is in English in every locale', () => {
  const germans = { ...only('first_name', 'last_name', 'age'), sex: ['Weiblich', 'Männlich', 'Divers'] };
  expect(people(germans, { locale: 'de_DE' }).map(({ sex }) => sex)).toEqual(['Female', 'Male', 'Divers']);
  expect(people(germans).map(({ sex }) => sex)).toEqual(['Weiblich', 'Männlich', 'Divers']);
});
