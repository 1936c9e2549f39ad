import { expect, test } from 'vitest';
import { missingInCollection, type PeopleChoice, peopleWanted } from './people-wanted.ts';

const ANYBODY: PeopleChoice = { locale: 'en_US', sex: null, city: null, ageRange: [18, 114], selectFieldValues: null };

test('anybody is asked for by age alone', () => {
  expect(peopleWanted(ANYBODY)).toEqual({ collection: 'en_US', filters: [{ column: 'age', from: 18, to: 114 }] });
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

test('a collection that has everything is fine', () => {
  const columns = ['first_name', 'last_name', 'age', 'region'];
  expect(missingInCollection(columns, { ...ANYBODY, selectFieldValues: { state: ['OR'] } })).toEqual([]);
});

test('every column that is needed or chosen by and missing is found, each once', () => {
  const choice: PeopleChoice = { ...ANYBODY, sex: 'Male', city: 'Bend', selectFieldValues: { state: ['OR'] } };
  const found = missingInCollection(['first_name', 'city'], choice);
  expect(found.map(({ field, message }) => [field.join('.'), message])).toEqual([
    ['locale', "the installed people of 'en_US' have no column 'last_name', which every person is made from."],
    ['locale', "the installed people of 'en_US' have no column 'age', which every person is made from."],
    ['sex', "the installed people of 'en_US' have no column 'sex' to choose by."],
    ['selectFieldValues.state', "the installed people of 'en_US' have no column 'region' to choose by."],
  ]);
  expect(found.every(({ stage, level }) => stage === 'run' && level === 'ERROR')).toBe(true);
});
