import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fakerLocales, type DataName, fakerDataNames, localesWithoutState } from './faker-locales.ts';
import { loadNameData } from './name-data.ts';

/** The fields drawn from a locale's data, each with the path that tells whether the locale has its own. */
const FIELDS: Readonly<Record<string, string>> = {
  first_name: 'person.first_name',
  last_name: 'person.last_name',
  street_number: 'location.building_number',
  street_name: 'location.street_pattern',
  city: 'location.city_pattern',
  postcode: 'location.postcode',
  country: 'location.country',
  occupation: 'person.job_type',
};

/** The fields that fall back to English because a data set lacks them. */
function englishFields(name: DataName): string {
  const data = loadNameData(name);
  return Object.keys(FIELDS)
    .filter((field) => !data.isOwn(FIELDS[field] as string))
    .join(', ');
}

/** The locales and English fields of each data set, as listed on the guide page about samplers. */
function listedRows(): Record<string, readonly [string, string]> {
  const page = readFileSync(new URL('../../../../../docs/guide/samplers.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('### Locales');
  const [table = ''] = section.split('\n\n').filter((part) => part.startsWith('|'));
  const rows = [...table.matchAll(/^\| `(\w+)` +\| (.*) \|$/gm)].map(([, name = '', rest = '']) => {
    const [locales = '', fields = ''] = rest.split('|').map((cell) => cell.replaceAll('`', '').trim());
    return [name, [locales, fields]] as const;
  });
  return Object.fromEntries(rows);
}

test('every locale has Faker data, and every locale without states is known', () => {
  expect(Object.keys(fakerDataNames)).toEqual([...fakerLocales]);
  expect([...localesWithoutState].filter((locale) => !Object.hasOwn(fakerDataNames, locale))).toEqual([]);
});

test('no data set falls back to English names of people', { tags: 'long' }, () => {
  const names = [...new Set(Object.values(fakerDataNames))];
  expect(names.filter((name) => /first_name|last_name/.test(englishFields(name)))).toEqual([]);
});

test('the guide page about samplers lists the locales and English fields of each data set', () => {
  const found: Record<string, [string, string]> = {};
  for (const locale of fakerLocales) {
    const name = fakerDataNames[locale];
    const locales = [found[name]?.[0] ?? '', locale].join(' ').trim();
    found[name] = [locales, englishFields(name)];
  }
  expect(listedRows()).toEqual(found);
});
