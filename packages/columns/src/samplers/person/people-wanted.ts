import type { CollectionFilter, CollectionRequest } from '@data-designer/core';
import type { Sex } from '../person-params.ts';
import { personaFields, personalFields } from './person-fields.ts';

/** The parameters that select people. */
export interface PeopleChoice {
  readonly locale: string;
  readonly sex: Sex | null;
  readonly city: string | readonly string[] | null;
  readonly ageRange: readonly [number, number];
  readonly selectFieldValues: Readonly<Record<string, readonly string[]>> | null;
  readonly withSyntheticPersonas: boolean;
}

/** The fields without which no person can be made. */
const NEEDED = ['first_name', 'last_name', 'age'] as const;

/** The rows of a collection that a choice of people stands for, and what of them is used. */
export function peopleWanted(choice: PeopleChoice): Omit<CollectionRequest, 'table'> {
  return {
    collection: choice.locale,
    filters: filtersOf(choice),
    needs: NEEDED,
    columns: choice.withSyntheticPersonas ? [...personalFields, ...personaFields] : personalFields,
  };
}

function filtersOf({ locale, sex, city, ageRange, selectFieldValues }: PeopleChoice): readonly CollectionFilter[] {
  const [from, to] = ageRange;
  const chosen = Object.entries(selectFieldValues ?? {}).map(([name, oneOf]) => {
    return { column: columnOf(name, locale), oneOf };
  });
  return [
    ...(sex === null ? [] : [{ column: 'sex', oneOf: [sex] }]),
    ...(city === null ? [] : [{ column: 'city', oneOf: [city].flat() }]),
    { column: 'age', from, to },
    ...chosen,
  ];
}

/** In the United States the collection's region is the state. */
function columnOf(field: string, locale: string): string {
  return field === 'state' && locale === 'en_US' ? 'region' : field;
}
