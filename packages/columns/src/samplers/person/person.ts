import { z } from 'zod';
import { type Finding, knownNames, valueType } from '@data-designer/core';
import { defineSampler } from '../../define-sampler.ts';
import { runFinding } from '../../run-finding.ts';
import { oneOf } from '../one-of.ts';
import { checkCity, personFilterFields } from '../person-params.ts';
import { peopleWanted } from './people-wanted.ts';
import { drawPerson } from './draw-person.ts';
import { personFields } from './person-fields.ts';

const LOCALES = ['en_US', 'en_IN', 'en_SG', 'fr_FR', 'hi_Deva_IN', 'hi_Latn_IN', 'ja_JP', 'ko_KR', 'pt_BR'] as const;

/** Draws people from the installed persona collections, each at most once. */
export const person = defineSampler({
  type: 'person',
  schema: z.strictObject({
    samplerType: z.literal('person').default('person').describe('The sampler that reads these parameters.'),
    locale: oneOf(LOCALES, 'locale').default('en_US').describe('Which collection of people is drawn from.'),
    ...personFilterFields,
    selectFieldValues: z
      .record(z.string(), z.array(z.string()))
      .nullable()
      .default(null)
      .describe('By field: only people whose value there is one of these.'),
    withSyntheticPersonas: z.boolean().default(false).describe('With what was written about character and interests.'),
  }),
  value: valueType<Record<string, unknown>>(),
  example: { locale: 'en_US' },
  // The fields depend on the collection.
  arrow: () => 'utf8',
  json: true,
  converts: 'nothing',
  collection: peopleWanted,
  drawFrom: drawPerson,
  check: (params) => [...checkCity(params), ...checkSelection(params.selectFieldValues ?? {})],
});

function checkSelection(selection: Readonly<Record<string, readonly string[]>>): readonly Finding[] {
  return Object.entries(selection).flatMap(([name, values]) => {
    const field = ['selectFieldValues', name];
    if (!personFields.includes(name)) {
      const message = `people have no field '${name}'.`;
      return [runFinding(field, { message, remedy: knownNames(name, personFields) })];
    }
    if (values.length > 0) return [];
    const message = `nobody's '${name}' is in an empty list.`;
    return [runFinding(field, { message, remedy: 'Name a value, or leave the field out.' })];
  });
}
