import { z } from 'zod';
import {
  type CollectionFilter,
  type CollectionRequest,
  type Finding,
  knownNames,
  valueType,
} from '@data-designer/core';
import { defineSampler, samplerFields } from '../../define-sampler.ts';
import { runFinding } from '../../run-finding.ts';
import { oneOf } from '../one-of.ts';
import { checkCity, personFilterFields } from '../person-params.ts';
import { drawPerson } from './draw-person.ts';
import { personaFields, personalFields, personFields, SEX_WORDS } from './person-fields.ts';
import { PERSONA_LOCALES, PERSONA_NEEDS } from './persona-collections.ts';

const schema = z
  .strictObject({
    ...samplerFields('person'),
    locale: oneOf(PERSONA_LOCALES, 'locale')
      .default('en_US')
      .describe('The installed collection of people to draw from.'),
    ...personFilterFields,
    selectFieldValues: z
      .record(z.string(), z.array(z.string()))
      .nullable()
      .default(null)
      .describe('The accepted values of some fields, by field name; null for all people.'),
    withSyntheticPersonas: z
      .boolean()
      .default(false)
      .describe('Whether to add the fields that describe character, interests and skills.'),
  })
  .describe(
    'Draws a person from an installed collection of people. No person is drawn twice with the same parameters. The value is an object with fields such as `first_name` and `city`.',
  );

/** Draws people from the installed persona collections, each at most once. */
export const person = defineSampler({
  type: 'person',
  schema,
  value: valueType<Record<string, unknown>>(),
  example: { locale: 'en_US' },
  // The fields depend on the collection.
  arrow: () => 'utf8',
  json: true,
  converts: 'nothing',
  collection: personRequest,
  drawFrom: drawPerson,
  check: (params) => [...checkCity(params), ...checkSelection(params.selectFieldValues ?? {})],
});

function checkSelection(selection: Readonly<Record<string, readonly string[]>>): readonly Finding[] {
  return Object.entries(selection).flatMap(([name, values]) => {
    const field = ['selectFieldValues', name];
    if (!personFields.includes(name)) {
      const message = `there is no person field '${name}'.`;
      return [runFinding(field, { message, remedy: knownNames(name, personFields) })];
    }
    if (values.length > 0) return [];
    const message = `the list of values for '${name}' is empty.`;
    return [runFinding(field, { message, remedy: 'Add a value, or remove the field.' })];
  });
}

/** The request for the selected people of a collection. */
export function personRequest(choice: Omit<z.output<typeof schema>, 'samplerType'>): Omit<CollectionRequest, 'table'> {
  return {
    collection: choice.locale,
    filters: filtersOf(choice),
    needs: PERSONA_NEEDS,
    install: `Run 'data-designer download personas --locale ${choice.locale}' to install it.`,
    columns: choice.withSyntheticPersonas ? [...personalFields, ...personaFields] : personalFields,
  };
}

function filtersOf({
  locale,
  sex,
  city,
  ageRange,
  selectFieldValues,
}: Parameters<typeof personRequest>[0]): readonly CollectionFilter[] {
  const [from, to] = ageRange;
  const chosen = Object.entries(selectFieldValues ?? {}).map(([name, values]) => {
    return { column: columnOf(name, locale), oneOf: name === 'sex' ? values.flatMap(wordsFor(locale)) : values };
  });
  return [
    ...(sex === null ? [] : [{ column: 'sex', oneOf: wordsFor(locale)(sex) }]),
    ...(city === null ? [] : [{ column: 'city', oneOf: [city].flat() }]),
    { column: 'age', from, to },
    ...chosen,
  ];
}

/** The words of a collection for a sex. */
function wordsFor(locale: string): (sex: string) => readonly string[] {
  const words = Object.entries(SEX_WORDS[locale] ?? {});
  return (sex) => [sex, ...words.flatMap(([word, meaning]) => (meaning === sex ? [word] : []))];
}

/** In the United States the collection's region is the state. */
function columnOf(field: string, locale: string): string {
  return field === 'state' && locale === 'en_US' ? 'region' : field;
}
