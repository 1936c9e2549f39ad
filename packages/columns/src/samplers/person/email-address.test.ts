import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { drawEmailAddress, type EmailOwner, asciiFolded } from './email-address.ts';

const ADA: EmailOwner = {
  firstName: 'Ada',
  middleName: '',
  lastName: "O'Neill",
  age: 40,
  born: new Date('1985-03-07T00:00:00Z'),
};

function addresses(owner: EmailOwner, rows = 40_000): string[] {
  const random = Random.of(3, 'email');
  return Array.from({ length: rows }, (_, row) => drawEmailAddress(owner, random.at(row)));
}

/** The share of addresses for each group that a pattern captures. */
function shares(owner: EmailOwner, pattern: RegExp): Record<string, number> {
  const counts: Record<string, number> = {};
  const all = addresses(owner);
  for (const address of all) {
    const group = pattern.exec(address)?.[1] ?? 'none';
    counts[group] = (counts[group] ?? 0) + 1 / all.length;
  }
  return counts;
}

/** The groups whose share differs from the wanted one. */
function wrongShares(found: Record<string, number>, wanted: Record<string, number>): string[] {
  const groups = [...new Set([...Object.keys(found), ...Object.keys(wanted)])];
  return groups.filter((group) => Math.abs((found[group] ?? 0) - (wanted[group] ?? 0)) > 0.012);
}

const NAMES = /^([a-z._]+)\d*@/;

test('combines the names in six ways', { tags: 'long' }, () => {
  const wanted = {
    'ada.oneill': 0.3,
    adaoneill: 0.2,
    aoneill: 0.15,
    ada_oneill: 0.1,
    oneilla: 0.15,
    adao: 0.1,
  };
  expect(wrongShares(shares(ADA, NAMES), wanted)).toEqual([]);
});

test('a middle name adds three combinations', { tags: 'long' }, () => {
  const wanted = {
    'ada.oneill': 0.25,
    adaoneill: 0.17,
    aoneill: 0.12,
    ada_oneill: 0.08,
    oneilla: 0.12,
    adao: 0.08,
    adabo: 0.06,
    adaboneill: 0.06,
    adabooneill: 0.06,
  };
  expect(wrongShares(shares({ ...ADA, middleName: 'Bo' }, NAMES), wanted)).toEqual([]);
});

test('the suffix is empty, a number or a part of the birth date', () => {
  const { none, 1985: year, 85: shortYear, 7: day, ...others } = shares(ADA, /[a-z](\d+)@/);
  const number = 0.3 / 99;
  const found = { none: none ?? 0, year: year ?? 0, shortYear: shortYear ?? 0, day: day ?? 0 };
  expect(wrongShares(found, { none: 0.4, year: 0.1, shortYear: 0.1 + number, day: 0.1 + number })).toEqual([]);
  expect(Object.keys(others).length).toBe(97);
});

test('a two-digit year keeps its leading zero', () => {
  const born = new Date('2005-01-01T00:00:00Z');
  expect(addresses({ ...ADA, age: 21, born }, 2000).some((address) => /\D05@/.test(address))).toBe(true);
});

test.each([
  [29, { gmail: 710, icloud: 300, outlook: 50, hotmail: 40, yahoo: 35, protonmail: 20, zoho: 3, gmx: 3, aol: 0.1 }],
  [30, { gmail: 360, icloud: 270, outlook: 60, hotmail: 50, yahoo: 60, protonmail: 18, zoho: 7, gmx: 4, aol: 0.3 }],
  [50, { gmail: 430, icloud: 280, outlook: 90, hotmail: 110, yahoo: 135, protonmail: 12, zoho: 5, gmx: 4, aol: 1.1 }],
])('at age %i, providers have the shares usual for that age', { tags: 'long' }, (age, weights) => {
  const total = Object.values(weights).reduce((sum, weight) => sum + weight);
  const wanted = Object.fromEntries(Object.entries(weights).map(([name, weight]) => [name, weight / total]));
  expect(wrongShares(shares({ ...ADA, age }, /@([a-z]+)\.com$/), wanted)).toEqual([]);
});

test('skips names that ASCII letters cannot spell', () => {
  expect(addresses({ ...ADA, firstName: '花' }, 200).every((address) => /^oneill\d*@/.test(address))).toBe(true);
  const unspelled = addresses({ ...ADA, firstName: '花', lastName: '山田', middleName: '子' }, 200);
  expect(unspelled.every((address) => /^user\d{6,10}@/.test(address))).toBe(true);
});

test.each([
  ['Ada', 'ada'],
  ['Ångström', 'angstrom'],
  ["O'Neill-Smith Jr.", 'oneillsmithjr'],
  ['José María', 'josemaria'],
  ['Weiß', 'weiss'],
  ['Łukasz Østergård', 'lukaszostergard'],
  ['ＡＢ１', 'ab1'],
  ['İnönü', 'inonu'],
  ['山田', ''],
  ['सीता', ''],
  ['', ''],
])('%s is spelled %s', (name, spelled) => {
  expect(asciiFolded(name)).toBe(spelled);
});
