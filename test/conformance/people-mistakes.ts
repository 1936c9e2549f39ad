import type { CellValue, Row } from '@data-designer/core';
import { REFERENCE_DAY } from '../../packages/columns/src/samplers/person-params.ts';
import { mistakesInNumbers, mistakesInRatios } from './number-mistakes.ts';
import { type PeopleRow, textOf } from './sampler-row.ts';

/** Where people that were drawn leave what was observed, in words; empty where they do nowhere. */
export function mistakesInPeople(facts: PeopleRow, people: readonly Row[]): string[] {
  const ages = people.map(({ age }) => Number(age));
  const support = (facts.support as { readonly age?: PeopleRow['support'] } | undefined)?.age;
  return [
    ...mistakesInKeys(facts, people),
    ...mistakesInPatterns(facts, people),
    ...mistakesInSets(facts, people),
    ...mistakesInNumbers(ages, { ...facts.age, ...(support ? { support } : {}) }),
    ...Object.entries(facts.ratios ?? {}).flatMap(([key, ratios]) =>
      mistakesInRatios(
        people.map((person) => textOf(person[key])),
        ratios,
      ).map((mistake) => `${key}: ${mistake}`),
    ),
    ...facts.rules.flatMap((rule) => mistakesInRule(rule, people)),
  ];
}

function mistakesInKeys({ key_order: order, key_types: types }: PeopleRow, people: readonly Row[]): string[] {
  const wanted = order.join(' ');
  const found = [...new Set(people.map((person) => Object.keys(person).join(' ')))].filter((keys) => keys !== wanted);
  const strange = Object.entries(types).flatMap(([key, known]) => {
    const kinds = new Set(people.map((person) => kindOf(person[key])));
    return [...kinds].filter((kind) => !known.includes(kind)).map((kind) => `'${key}' is of type ${kind}`);
  });
  return [...found.map((keys) => `the keys are ${keys}`), ...strange];
}

function kindOf(value: CellValue | undefined): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return typeof value;
}

function mistakesInPatterns({ patterns }: PeopleRow, people: readonly Row[]): string[] {
  return Object.entries(patterns).flatMap(([key, pattern]) => {
    const whole = new RegExp(`^(?:${pattern})$`, 'u');
    const values = people.map((person) => person[key]).filter((value) => value !== null);
    const wrong = values.filter((value) => typeof value !== 'string' || !whole.test(value));
    return wrong.length === 0 ? [] : [`${key}: ${wrong.length} do not look as they should: ${textOf(wrong[0])}`];
  });
}

/** What of all the people of a table must come up, no more and no less. */
function mistakesInSets({ values = {}, ages, distinct_uuids: distinct }: PeopleRow, people: readonly Row[]): string[] {
  const mistakes = Object.entries(values).flatMap(([key, wanted]) => {
    const found = [...new Set(people.map((person) => textOf(person[key])))].toSorted();
    return found.join() === [...wanted].toSorted().join() ? [] : [`${key} is one of ${found.join(', ')}`];
  });
  const all = people.map(({ age }) => Number(age));
  const span = [Math.min(...all), Math.max(...all)];
  if (ages && span.join() !== ages.join()) mistakes.push(`ages go from ${span.join(' to ')}`);
  const different = new Set(people.map(({ uuid }) => uuid)).size;
  if (distinct !== undefined && different !== distinct) mistakes.push(`there are ${different} different people`);
  return mistakes;
}

const ADULT = 18;
const DEGREES: readonly (CellValue | undefined)[] = ['bachelors', 'graduate', 'doctorate'];

/** Whether a person keeps a rule. */
const RULES: Readonly<Record<string, (person: Row) => boolean>> = {
  'birth_date is between age+1 years ago and age years ago': isOfAge,
  'birth_date is between age+1 years ago and age years ago (both days included)': isOfAge,
  'phone_number is null exactly when age < 18': ({ age, phone_number: phone }) =>
    (phone === null) === Number(age) < ADULT,
  'phone_number and email_address are null exactly when age < 18': (person) =>
    [person.phone_number, person.email_address].every((value) => (value === null) === Number(person.age) < ADULT),
  'bachelors_field is no_degree exactly when education_level is none of bachelors, graduate, doctorate': (person) =>
    (person.bachelors_field === 'no_degree') !== DEGREES.includes(person.education_level),
  'middle_name is null and unit is empty': ({ middle_name: name, unit }) => name === null && unit === '',
  'street_number is a string': ({ street_number: number }) => typeof number === 'string',
  // Counted as different people, above.
  'n is the number of matching people, so every one of them is drawn exactly once': () => true,
};

function mistakesInRule(rule: string, people: readonly Row[]): string[] {
  const keeps = RULES[rule];
  if (!keeps) return [`the rule is not known here: ${rule}`];
  const broken = people.filter((person) => !keeps(person));
  return broken.length === 0 ? [] : [`${rule}: not ${broken.length} of them, such as ${JSON.stringify(broken[0])}`];
}

function isOfAge({ age, birth_date: born }: Row): boolean {
  const [year, day] = [Number(REFERENCE_DAY.slice(0, 4)), REFERENCE_DAY.slice(4)];
  const yearsAgo = (years: number): string => `${year - years}${day}`;
  return textOf(born) >= yearsAgo(Number(age) + 1) && textOf(born) <= yearsAgo(Number(age));
}
