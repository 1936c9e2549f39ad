import { expect, test } from 'vitest';
import { type CellValue, Random } from '@data-designer/core';
import { REFERENCE_DAY } from '../person-params.ts';
import { drawMadeUpPerson, occupationDraw, phoneDraw } from './draw-made-up-person.ts';
import { fakerLocales, localesWithoutState, type DataName } from './faker-locales.ts';
import { loadNameData } from './name-data.ts';

type Person = Readonly<Record<string, CellValue>>;
type Params = Parameters<typeof drawMadeUpPerson>[0];

const ANYBODY: Params = { locale: 'en_US', sex: null, city: null, ageRange: [18, 114] };
const ROWS = 10_000;

function people(params: Partial<Params> = {}, rows = ROWS): Person[] {
  const random = Random.of(11, 'someone');
  const draw = drawMadeUpPerson({ ...ANYBODY, ...params });
  return Array.from({ length: rows }, (_, row) => draw(random.at(row)) as Person);
}

/** The values of a field that are drawn more or less often than the others, and any unexpected ones. */
function unevenIn(drawn: readonly Person[], field: string, values: readonly CellValue[]): CellValue[] {
  const others = drawn.filter((person) => !values.includes(person[field] ?? null));
  const uneven = values.filter((value) => {
    const count = drawn.filter((person) => person[field] === value).length;
    return Math.abs(count / drawn.length - 1 / values.length) > 0.02;
  });
  return [...uneven, ...others.map((person) => person[field] ?? null)];
}

const anybody = people();

test('keys follow the order of the Python tool', () => {
  const keys =
    'uuid locale first_name last_name middle_name sex street_number street_name city state postcode age birth_date ' +
    'country marital_status education_level unit occupation phone_number bachelors_field';
  expect(new Set(anybody.map((person) => Object.keys(person).join(' ')))).toEqual(new Set([keys]));
});

test('sex, marital status and education are uniformly distributed', () => {
  const status = ['married_present', 'divorced', 'never_married', 'separated', 'widowed'];
  const education = ['secondary_education', 'some_college', 'bachelors', 'associates', 'graduate', 'doctorate'];
  expect(unevenIn(anybody, 'sex', ['Male', 'Female'])).toEqual([]);
  expect(unevenIn(anybody, 'marital_status', status)).toEqual([]);
  expect(unevenIn(anybody, 'education_level', education)).toEqual([]);
});

test('only people with a degree have a field of study, uniformly distributed', () => {
  const degrees = ['bachelors', 'graduate', 'doctorate'];
  const graduates = anybody.filter((person) => person['bachelors_field'] !== 'no_degree');
  expect(graduates).toEqual(anybody.filter((person) => degrees.some((level) => level === person['education_level'])));
  const fields = ['stem', 'business', 'education', 'arts_humanities', 'stem_related'];
  expect(unevenIn(graduates, 'bachelors_field', fields)).toEqual([]);
});

test('ages are uniformly distributed, both ends included', () => {
  const ages = Array.from({ length: 11 }, (_, index) => 10 + index);
  expect(unevenIn(people({ ageRange: [10, 20] }), 'age', ages)).toEqual([]);
  expect(new Set(anybody.map(({ age }) => age)).size).toBe(97);
});

test('a birth date fits the age on the reference day', () => {
  const [year = 0] = REFERENCE_DAY.split('-').map(Number);
  const wrong = anybody.filter(({ age, birth_date: born }) => {
    const [bornYear = 0, ...rest] = (born as string).split('-').map(Number);
    const hadBirthday = rest.join('-') === '1-1';
    return year - bornYear - (hadBirthday ? 0 : 1) !== age;
  });
  expect(wrong).toEqual([]);
});

test('only adults have a phone number', () => {
  const young = people({ ageRange: [10, 20] });
  expect(young.filter(({ age, phone_number: phone }) => (phone === null) !== (age as number) < 18)).toEqual([]);
});

test('nobody has a middle name or a unit, and the locale is the requested one', () => {
  const found = anybody.map((person) => [person['middle_name'], person['unit'], person['locale']]);
  expect(new Set(found.map(String))).toEqual(new Set([',,en_US']));
});

test('sex and city follow the params, and several cities are equally likely', () => {
  const chosen = people({ locale: 'en_GB', sex: 'Female', city: ['Whitby', 'Craster'] });
  expect(unevenIn(chosen, 'sex', ['Female'])).toEqual([]);
  expect(unevenIn(chosen, 'city', ['Whitby', 'Craster'])).toEqual([]);
  expect(unevenIn(people({ city: 'Lund' }, 100), 'city', ['Lund'])).toEqual([]);
});

test('a person does not depend on earlier draws', () => {
  const random = Random.of(11, 'someone');
  const draw = drawMadeUpPerson(ANYBODY);
  expect([40, 3, 40].map((row) => draw(random.at(row)))).toEqual([anybody[40], anybody[3], anybody[40]]);
});

test.each(fakerLocales.map((locale) => [locale]))('200 people of %s have every required field', (locale) => {
  const drawn = people({ locale }, 200);
  const texts = [
    'first_name',
    'last_name',
    'street_number',
    'street_name',
    'city',
    'postcode',
    'country',
    'occupation',
  ];
  const lacking = drawn.filter((person) =>
    [...texts, 'phone_number'].some((field) => {
      const value = person[field];
      return typeof value !== 'string' || value.trim() !== value || value === '' || /[{}#]|undefined/.test(value);
    }),
  );
  expect(lacking).toEqual([]);
  expect(localesWithoutState.has(locale) && drawn.some((person) => person['state'] !== null)).toBe(false);
  expect(new Set(drawn.map((person) => person['last_name'])).size).toBeGreaterThan(15);
});

function occupations(name: DataName): string[] {
  const random = Random.of(1, 'work');
  const draw = occupationDraw(loadNameData(name), loadNameData('en_US'));
  return Array.from({ length: 2000 }, (_, row) => draw(random.at(row)));
}

test('a job title has three parts in the order of the language', () => {
  const english = loadNameData('en_US');
  const [descriptor = '', area = '', type = ''] = (occupations('en_US')[0] ?? '').split(' ');
  expect(english.texts('person.job_descriptor')).toContain(descriptor);
  expect(english.texts('person.job_area')).toContain(area);
  expect(english.texts('person.job_type')).toContain(type);
  expect(occupations('es').every((title) => title.includes(' de '))).toBe(true);
});

test('a language with only job types uses them as titles', () => {
  expect(new Set(occupations('ar'))).toEqual(new Set(loadNameData('ar').texts('person.job_type')));
});

test('a language without job data uses English titles', () => {
  expect(occupations('ja')).toEqual(occupations('en_US'));
});

const FICTIONAL = /^[2-9]\d\d-555-01\d\d$/;

function numbers(name: DataName): string[] {
  const random = Random.of(1, 'phone');
  const draw = phoneDraw(name, loadNameData(name));
  return Array.from({ length: 2000 }, (_, row) => draw(random.at(row)));
}

test.each([['en_US'], ['en_CA'], ['fr_CA']] as const)('phone numbers of %s are fictional', (name) => {
  expect(numbers(name).filter((number) => !FICTIONAL.test(number))).toEqual([]);
});

test.each([['ar'], ['fi']] as const)('%s has no phone format of its own and uses fictional numbers', (name) => {
  expect(numbers(name).filter((number) => !FICTIONAL.test(number))).toEqual([]);
});

test.each([
  ['de', /^0\d{4} \d{6,8}$/],
  ['nl', /^0(\d{3} \d{3} \d{3}|6 \d{8})$/],
  ['ru', /^8 \(9\d\d\) \d{3}-\d\d-\d\d$/],
] as const)('phone numbers of %s use the national format', (name, expected) => {
  expect(numbers(name).filter((number) => !expected.test(number))).toEqual([]);
});
