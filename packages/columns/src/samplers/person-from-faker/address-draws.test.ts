import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { addressDraws } from './address-draws.ts';
import { loadNameData } from './name-data.ts';
import type { DataName } from './faker-locales.ts';

const english = loadNameData('en_US');

function homes(name: DataName) {
  const draws = addressDraws(loadNameData(name), english);
  const random = Random.of(1, 'homes');
  return Array.from({ length: 1000 }, (_, row) => ({
    number: draws.streetNumber(random.at(row)),
    street: draws.streetName(random.at(row)),
    city: draws.city(random.at(row)),
    state: draws.state?.(random.at(row)),
    postcode: draws.postcode(random.at(row)),
  }));
}

test('addresses use the data of the locale', () => {
  const german = homes('de');
  expect(new Set(german.map(({ state }) => state))).toEqual(new Set(loadNameData('de').texts('location.state')));
  expect(german.every(({ postcode }) => /^\d{5}$/.test(postcode))).toBe(true);
  expect(homes('ja').every(({ street }) => /^[1-9]丁目[1-9]番[1-9]号$/.test(street))).toBe(true);
});

test('house numbers have no leading zero and no comma', () => {
  expect(homes('en_US').every(({ number }) => /^[1-9]\d{2,4}$/.test(number))).toBe(true);
  expect(homes('es').filter(({ number }) => !/^([1-9]\d?|s\/n\.)$/.test(number))).toEqual([]);
});

test('a locale without cities and streets uses English ones', () => {
  const hungarian = homes('hu');
  expect(hungarian.filter(({ city, street }) => !/^[A-Za-z' 0-9.-]+$/.test(city + street))).toEqual([]);
});

test('a locale without states has none instead of English ones', () => {
  expect(homes('da').every(({ state }) => state === undefined)).toBe(true);
});
