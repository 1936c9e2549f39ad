import { expect, test } from 'vitest';
import { type PeopleChoice, peopleWanted } from './people-wanted.ts';

const ANYBODY: PeopleChoice = {
  locale: 'en_US',
  sex: null,
  city: null,
  ageRange: [18, 114],
  selectFieldValues: null,
  withSyntheticPersonas: false,
};

test('anybody is asked for by age alone', () => {
  expect(peopleWanted(ANYBODY)).toMatchObject({
    collection: 'en_US',
    filters: [{ column: 'age', from: 18, to: 114 }],
    needs: ['first_name', 'last_name', 'age'],
  });
});

test('sex, cities and fields are filters, and a state of the United States is a region', () => {
  const selectFieldValues = { state: ['OR', 'AK'], openness: ['high'] };
  expect(peopleWanted({ ...ANYBODY, sex: 'Female', city: 'Bend', selectFieldValues }).filters).toEqual([
    { column: 'sex', oneOf: ['Female'] },
    { column: 'city', oneOf: ['Bend'] },
    { column: 'age', from: 18, to: 114 },
    { column: 'region', oneOf: ['OR', 'AK'] },
    { column: 'openness', oneOf: ['high'] },
  ]);
});

test('elsewhere a state is a state, and cities may be several', () => {
  const choice = { ...ANYBODY, locale: 'pt_BR', city: ['Lund', 'Visby'], selectFieldValues: { state: ['SP'] } };
  expect(peopleWanted(choice)).toMatchObject({
    collection: 'pt_BR',
    filters: [{ column: 'city', oneOf: ['Lund', 'Visby'] }, {}, { column: 'state', oneOf: ['SP'] }],
  });
});

test('what was written about character is used where it is asked for alone', () => {
  expect(peopleWanted(ANYBODY).columns).not.toContain('persona');
  const { columns } = peopleWanted({ ...ANYBODY, withSyntheticPersonas: true });
  expect(columns).toEqual(expect.arrayContaining(['first_name', 'region', 'persona', 'openness']));
});
