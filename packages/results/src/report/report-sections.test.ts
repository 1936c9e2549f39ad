import { expect, test } from 'vitest';
import { columnTypes } from '@data-designer/columns';
import type { DatasetProfile } from '@data-designer/profile';
import { columnGroups, resolveSections } from './report-sections.ts';

const TYPES = columnTypes.map(({ type }) => type);
const profileOf = (types: readonly string[]) =>
  ({ columns: types.map((columnType, at) => ({ columnType, name: `c${at}` })) }) as unknown as DatasetProfile;
const groupsOf = (types: readonly string[]) => columnGroups(profileOf(types), undefined).map((one) => one.columnType);

test('column types are in the order of their list, and others come after them by name', () => {
  const own = ['own-a', 'own-b', 'own-c'];
  const all = [...TYPES, ...own];
  for (let turn = 0; turn < all.length; turn++) {
    const turned = [...all.slice(turn), ...all.slice(0, turn)];
    expect(groupsOf(turned)).toEqual(all);
    expect(groupsOf(turned.toReversed())).toEqual(all);
  }
  expect(columnGroups(profileOf(['own-a', 'own-a']), undefined)[0]?.columns).toHaveLength(2);
});

test('sections that are asked for alone are shown, and unknown ones refused', () => {
  const profile = profileOf(['llm-text', 'own-a']);
  const [shown] = columnGroups(profile, resolveSections(profile, ['own-a', 'overview']));
  expect([shown?.columnType, shown?.title]).toEqual(['own-a', 'Own A columns']);
  expect(columnGroups(profile, resolveSections(profile, ['overview']))).toEqual([]);
  expect(columnGroups(profile, resolveSections(profile, undefined))[0]?.title).toBe('LLM Text columns');
  expect(() => resolveSections(profile, ['own-b'])).toThrow('own-b');
});
