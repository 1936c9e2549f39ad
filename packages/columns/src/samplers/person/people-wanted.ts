import type { CollectionFilter, CollectionRequest, FieldPath, Finding } from '@data-designer/core';
import { atRun } from '../at-run.ts';
import type { Sex } from '../people.ts';

/** Which people, of which collection. */
export interface PeopleChoice {
  readonly locale: string;
  readonly sex: Sex | null;
  readonly city: string | readonly string[] | null;
  readonly ageRange: readonly [number, number];
  readonly selectFieldValues: Readonly<Record<string, readonly string[]>> | null;
}

/** What of a person all else is made from. */
const NEEDED = ['first_name', 'last_name', 'age'] as const;

/** A filter, and the parameter that asks for it. */
interface AskedFilter {
  readonly field: FieldPath;
  readonly filter: CollectionFilter;
}

/** The rows of a collection that a choice of people stands for. */
export function peopleWanted(choice: PeopleChoice): Pick<CollectionRequest, 'collection' | 'filters'> {
  return { collection: choice.locale, filters: filtersOf(choice).map(({ filter }) => filter) };
}

/** What is wrong where a collection of people has these columns: one that is needed, or chosen by, is not there. */
export function missingInCollection(columns: readonly string[], choice: PeopleChoice): readonly Finding[] {
  const needed = NEEDED.filter((column) => !columns.includes(column)).map((column) =>
    atRun(['locale'], {
      message: `the installed people of '${choice.locale}' have no column '${column}', which every person is made from.`,
      remedy: 'Install them again.',
    }),
  );
  const askedFor = filtersOf(choice).filter(
    ({ filter }) => !columns.includes(filter.column) && !isNeeded(filter.column),
  );
  return [
    ...needed,
    ...askedFor.map(({ field, filter }) =>
      atRun(field, {
        message: `the installed people of '${choice.locale}' have no column '${filter.column}' to choose by.`,
        remedy: `Leave it out, or choose by one of: ${columns.join(', ')}.`,
      }),
    ),
  ];
}

function isNeeded(column: string): boolean {
  return NEEDED.some((needed) => needed === column);
}

function filtersOf({ locale, sex, city, ageRange, selectFieldValues }: PeopleChoice): readonly AskedFilter[] {
  const [from, to] = ageRange;
  const chosen = Object.entries(selectFieldValues ?? {}).map(([name, oneOf]) => ({
    field: ['selectFieldValues', name],
    filter: { column: columnOf(name, locale), oneOf },
  }));
  return [
    ...(sex === null ? [] : [{ field: ['sex'], filter: { column: 'sex', oneOf: [sex] } }]),
    ...(city === null ? [] : [{ field: ['city'], filter: { column: 'city', oneOf: [city].flat() } }]),
    { field: ['ageRange'], filter: { column: 'age', from, to } },
    ...chosen,
  ];
}

/** People of the United States have a state, which their collection calls a region. */
function columnOf(field: string, locale: string): string {
  return field === 'state' && locale === 'en_US' ? 'region' : field;
}
