import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import type { Surroundings } from '@data-designer/core';
import { person } from './person.ts';

const alone: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };

const read = (params: unknown) => person.schema.safeParse(readForm(person.schema, params));

test('nothing needs to be said', () => {
  expect(read({}).data).toEqual({
    samplerType: 'person',
    locale: 'en_US',
    sex: null,
    city: null,
    ageRange: [18, 114],
    selectFieldValues: null,
    withSyntheticPersonas: false,
  });
});

test('holds JSON, since its fields depend on who is drawn', () => {
  expect([person.arrow(person.schema.parse({})), person.json]).toEqual(['utf8', true]);
});

test.each([['sv_SE'], ['en_us'], ['xx']])('refuses the locale %s, of which there are no people', (locale) => {
  expect(read({ locale }).error?.issues).toMatchObject([{ path: ['locale'] }]);
});

test('names the nearest locale', () => {
  expect(read({ locale: 'pt_br' }).error?.issues[0]?.message).toBe(
    "there is no locale 'pt_br'; the nearest is 'pt_BR'",
  );
});

function check(selectFieldValues: Record<string, string[]>) {
  return person.check?.(person.schema.parse({ selectFieldValues }), alone);
}

test('the fields of people and of personas may be chosen by, others are found', () => {
  expect(check({ state: ['OR', 'AK'], zone: ['w'], openness: ['high'] })).toEqual([]);
  const field = ['selectFieldValues', 'shoe_size'];
  expect(check({ shoe_size: ['9'] })).toMatchObject([
    { stage: 'run', field, message: "people have no field 'shoe_size'." },
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
